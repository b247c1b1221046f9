import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAi } from '../../../shared/adapters/ai.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { startOpenAiServer, type OpenAiServer } from '../../support/openai-server.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { translatable, translate } from './translator.ts';
import { waitFor } from '../../support/waiting.ts';

let app: TestApp;
let workers: TestWorkers;
let provider: OpenAiServer;
let seller: TestUser;
let admin: TestUser;
let id: string;
beforeAll(async () => {
  provider = await startOpenAiServer();
  app = await startApp();
  workers = await startWorkers(app);
  seller = await app.createUser();
  admin = await app.createUser({ role: 'admin' });
  workers.services.ai = createAi({ apiKey: 'sk-tests', baseUrl: provider.url, model: 'a-model' });
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await provider.close();
});
beforeEach(async () => {
  provider.feel(translate);
  app.services.ai = undefined;
  const { body } = await app.as(seller).post('/api/listings', { ...translatable(), boat: { brand: 'Bavaria' } });
  id = body.id;
  await app.as(seller).post(`/api/listings/${id}/publish`);
  await rewrite({});
});

const ownWords = {
  title: 'Von Hand geschriebener Titel',
  description: 'Eine Fahrtenyacht, wie sie sein soll, und von ihrer Eignerin selbst beschrieben.',
};
const edit = (fields: object = ownWords, by = seller, locale = 'de') =>
  app.as(by).put(`/api/listings/${id}/rewrites/${locale}`, fields);
const drop = (by = seller, locale = 'de') => app.as(by).delete(`/api/listings/${id}/rewrites/${locale}`);
const readGerman = async () => (await app.as(seller).get(`/api/listings/${id}?lang=de`)).body;
async function rewrite(options: object, work: () => Promise<unknown> = () => workers.work('rewrite-listing')) {
  await workers.take('rewrite-listing');
  const { body } = await app.as(admin).post('/api/admin/rewrite', { listing_id: id, locales: ['de'], ...options });
  await work();
  return body;
}

describe('a text that a person has written', () => {
  test('is shown in its locale to everybody within seconds, with what it leaves out as it was', async () => {
    const anonymous = async () => (await app.as().get(`/api/listings/${id}?lang=de`)).body;
    const { boat } = await anonymous();
    const { status, body } = await edit();
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...ownWords, listing_id: id, locale: 'de', edited_by_human: true });
    await waitFor(async () => expect(await anonymous()).toMatchObject(ownWords), 5_000);
    expect((await anonymous()).boat.seo.meta_title).toBe(boat.seo.meta_title);
    const seo = { meta_title: 'Eine Yacht', meta_description: 'Wie sie sein soll.', keywords: ['yacht'] };
    expect((await edit({ ...ownWords, seo, long_description: 'Und noch mehr.' })).body.seo).toEqual(seo);
    expect(await readGerman()).toMatchObject({ long_description: 'Und noch mehr.', boat: { seo } });
  });

  test('is never rewritten: not when forced, not by a change of the listing, and the answers say so', async () => {
    await edit();
    expect(await rewrite({ force: true })).toEqual({ queued: 0, skipped: 1 });
    await app.as(seller).put(`/api/listings/${id}`, { description: translatable().description });
    expect(await rewrite({})).toEqual({ queued: 0, skipped: 1 });
    expect(await readGerman()).toMatchObject(ownWords);
    const { body } = await app.as(admin).get(`/api/admin/rewrite/texts?listing_id=${id}`);
    expect(body.results).toMatchObject([{ locale: 'de', edited_by_human: true, title: ownWords.title }]);
  });

  test('outlives a rewriting that was under way, whose job tells that it kept it', async () => {
    const asked = workers.services.ai!;
    workers.services.ai = {
      ...asked,
      async ask(task) {
        const answer = await asked.ask(task);
        expect((await edit()).status).toBe(200);
        return answer;
      },
    };
    await rewrite({ force: true }, async () =>
      expect(await workers.work('rewrite-listing')).toMatchObject([{ output: { outcome: 'kept' } }]),
    );
    workers.services.ai = asked;
    expect(await readGerman()).toMatchObject(ownWords);
  });

  test('can be taken away: the original is shown, until it is rewritten again', async () => {
    await edit();
    app.services.ai = workers.services.ai;
    expect((await drop()).body).toEqual({ listing_id: id, locale: 'de', deleted: true });
    expect((await readGerman()).title).toMatch(/hull \d+$/);
    await workers.work('rewrite-listing');
    expect((await readGerman()).title).toMatch(/Rumpf \d+$/);
    expect((await drop(seller, 'fr')).status).toBe(404);
  });

  test("is written by the owner or an administrator, and judged like the listing's own", async () => {
    const stranger = await app.createUser();
    expect([(await edit(ownWords, stranger)).status, (await drop(stranger)).status]).toEqual([403, 403]);
    expect((await edit(ownWords, admin)).status).toBe(200);
    const spam = 'WhatsApp +34 612 345 678, oder https://a.example https://b.example https://c.example sofort';
    for (const fields of [{ description: spam }, { long_description: spam }]) {
      const refused = await edit({ ...ownWords, ...fields });
      expect([refused.status, refused.body.error.code]).toEqual([400, 'moderation_rejected']);
    }
    expect(await readGerman()).toMatchObject(ownWords);
  });
});

test("the boat of a listing holds the text of the locale asked for, and nothing of what a client sends as the service's", async () => {
  const sent = { brand: 'Bavaria', seo: { slug: 'bavaria', rewritten_content: { fr: 'Très bien entretenu.' } } };
  await app.as(seller).put(`/api/listings/${id}`, { boat: sent });
  const { title, description, boat } = await readGerman();
  const { meta_title, meta_description } = boat.seo;
  expect(boat.seo).toEqual({
    keywords: ['yacht', 'Bavaria'],
    meta_title,
    meta_description,
    rewritten_content: { de: { title, description, meta_title, meta_description } },
  });
  const original = (await app.as(seller).get(`/api/listings/${id}?lang=it`)).body;
  expect(original.boat.brand).toBe('Bavaria');
  expect(original.boat).not.toHaveProperty('seo');
});
