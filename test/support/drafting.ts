import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { createAi } from '../../shared/adapters/ai.ts';
import { startApp, type Json, type Reply, type TestApp, type TestUser } from './app.ts';
import { startOpenAiServer, type AiMood, type OpenAiServer } from './openai-server.ts';
import { formOf } from './pictures.ts';
import { startSite, type Site } from './site-server.ts';
import { startWorkers, type TestWorkers } from './workers.ts';

export const DRAFTS_PATH = '/api/listings/ai-generate';

/** What a provider answers about the images: much of it is to be used, some of it is not. */
export const draftAnswer = {
  title: 'Bavaria 46 Cruiser at her berth',
  description: 'A white sailing yacht with a blue sprayhood and a teak cockpit.',
  category: 'cruising',
  condition: 'good',
  tags: ['sloop', 'teak', 'sloop'],
  attributes: [
    { key: 'brand', value: 'Bavaria' },
    { key: 'year', value: '2006' },
    { key: 'cabins', value: 'many' },
    { key: 'price', value: '1' },
    { key: '__proto__', value: 'x' },
  ],
};

export type Drafting = {
  app: TestApp;
  workers: TestWorkers;
  provider: OpenAiServer;
  /** Serves images, and what is none. */
  site: Site;
  /** An uploaded image. */
  url: string;
  /** Works without a provider from now on. */
  useStub(): void;
  /** Has the provider answer in these ways from now on. */
  useProvider(...moods: [AiMood, ...AiMood[]]): void;
  /** Asks for a draft while a worker is at work. */
  generate(by: TestUser, images: string[], headers?: Record<string, string>): Promise<Reply<Json>>;
  /** How much of the hour's quota a user has used. */
  uses(by: TestUser): Promise<number>;
  close(): Promise<void>;
};

/** An app, its workers, a provider and a site with images. */
export async function startDrafting(): Promise<Drafting> {
  const photo = await sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#1030c0' } })
    .withExif({ IFD2: { DateTimeOriginal: '2024:05:17 10:11:12' } })
    .jpeg()
    .toBuffer();
  const provider = await startOpenAiServer();
  const site = await startSite({
    '/Bavaria%2046%20Cruiser.jpg': photo,
    '/IMG_2034.jpg': photo,
    '/page.jpg': '<html>no picture</html>',
    '/away.jpg': { status: 302, headers: { location: 'http://10.0.0.1/secret.jpg' } },
  });
  const app = await startApp({ env: { RATE_LIMIT_MULTIPLIER: '1', OPENAI_BASE_URL: provider.url } });
  const workers = await startWorkers(app, { env: { fetchAllow: ['127.0.0.1'] } });
  const uploader = await app.createUser();
  const uploaded = await app.as(uploader).post('/api/upload', undefined, { raw: formOf([['file', photo]]) });
  return {
    app,
    workers,
    provider,
    site,
    url: uploaded.body.url,
    useStub() {
      workers.services.ai = undefined;
    },
    useProvider(...moods) {
      provider.feel(...moods);
      workers.services.ai = createAi({ apiKey: 'sk-tests', baseUrl: provider.url, model: 'a-model' });
    },
    async generate(by, images, headers = {}) {
      let isAnswered = false;
      const asked = app
        .as(by)
        .post(DRAFTS_PATH, { images }, { headers })
        .finally(() => {
          isAnswered = true;
        });
      while (!isAnswered) {
        await workers.work('draft-listing');
        await sleep(10);
      }
      return asked;
    },
    async uses(by) {
      const { rows } = await app.database.pool.query<{ used: number }>(
        `select used from quota_uses where quota = 'ai_generation:user' and subject = $1`,
        [by.id],
      );
      return rows[0]?.used ?? 0;
    },
    async close() {
      await workers.close();
      await app.close();
      await site.close();
      await provider.close();
    },
  };
}
