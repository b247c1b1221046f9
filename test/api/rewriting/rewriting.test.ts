import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAi } from '../../../shared/adapters/ai.ts';
import { queueOf } from '../../../shared/queues/queues.ts';
import { rewriteListing } from '../../../workers/rewrite-listing.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { startOpenAiServer, type OpenAiServer } from '../../support/openai-server.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { translatable, translate, wordsOf } from './translator.ts';
import { waitFor } from '../../support/waiting.ts';

let app: TestApp;
let workers: TestWorkers;
let provider: OpenAiServer;
let seller: TestUser;
let admin: TestUser;
beforeAll(async () => {
  provider = await startOpenAiServer();
  app = await startApp();
  workers = await startWorkers(app);
  seller = await app.createUser();
  admin = await app.createUser({ role: 'admin' });
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await provider.close();
});
beforeEach(async () => {
  app.services.cache.clear();
  provider.feel(translate);
  workers.services.ai = createAi({ apiKey: 'sk-tests', baseUrl: provider.url, model: 'a-model' });
  await workers.take('rewrite-listing');
});

const post = (path: string, body?: unknown) => app.as(admin).post(`/api/admin${path}`, body);
async function publish(fields: Record<string, unknown> = {}): Promise<string> {
  const { body } = await app.as(seller).post('/api/listings', { ...translatable(), ...fields });
  expect((await app.as(seller).post(`/api/listings/${body.id}/publish`)).status).toBe(200);
  return body.id;
}
const readIn = async (id: string, lang: string) => app.as().get(`/api/listings/${id}?lang=${lang}`);
const rowsOf = async (id: string) => {
  const { rows } = await app.database.pool.query(
    'select * from listing_rewrites where listing_id = $1 order by locale',
    [id],
  );
  return rows;
};
const rewrite = async (id: string, fields: Record<string, unknown> = { locales: ['de'] }) => {
  const { body } = await post('/rewrite', { listing_id: id, ...fields });
  return { ...body, jobs: await workers.work('rewrite-listing') };
};

describe('a listing that is published', () => {
  test('is rewritten in every locale, and read there at once', async () => {
    const id = await publish();
    expect((await readIn(id, 'de')).headers.get('content-language')).toBe('en');
    await workers.readJournal();
    expect((await workers.work('rewrite-listing')).map(({ output }) => output)).toEqual(
      Array.from({ length: 7 }, () => ({ outcome: 'completed' })),
    );
    await waitFor(async () => expect((await readIn(id, 'de')).headers.get('content-language')).toBe('de'), 5_000);
    expect((await readIn(id, 'de')).body.title).toMatch(/^Bavaria Cruiser 46, Rumpf \d+$/);
    expect((await readIn(id, 'ja')).body.description).toContain('ワンオーナー');
  });

  test("keeps its seller's own words in their language, and gets the SEO fields there", async () => {
    const id = await publish({ boat: { brand: 'Bavaria' } });
    await workers.readJournal();
    await workers.work('rewrite-listing');
    const { headers, body } = await readIn(id, 'en');
    expect(headers.get('content-language')).toBe('en');
    expect(body.title).toMatch(/, hull \d+$/);
    expect(body.boat.seo).toMatchObject({ meta_title: 'Bavaria Cruiser 46', keywords: ['yacht', 'Bavaria'] });
  });

  test('is redone when its text changes, and only then; the old text is shown meanwhile', async () => {
    const id = await publish();
    await workers.readJournal();
    await workers.work('rewrite-listing');
    const old = (await readIn(id, 'de')).body.description;
    await app.as(seller).put(`/api/listings/${id}`, { price: { amount: 1_000, currency: 'EUR', negotiable: false } });
    await workers.readJournal();
    expect(await workers.take('rewrite-listing')).toEqual([]);
    await app.as(seller).put(`/api/listings/${id}`, { description: translatable().description });
    await workers.readJournal();
    expect((await rowsOf(id)).map(({ status }) => status)).toEqual(Array(7).fill('pending'));
    expect((await readIn(id, 'de')).body.description).toBe(old);
    await workers.work('rewrite-listing');
    await waitFor(async () => expect((await readIn(id, 'de')).body.description).not.toBe(old), 5_000);
  });

  test('without a provider nothing is queued', async () => {
    workers.services.ai = undefined;
    await publish();
    await workers.readJournal();
    expect(await workers.take('rewrite-listing')).toEqual([]);
  });
});

describe('what is asked for', () => {
  test('queued and skipped count locales; what is up to date is skipped unless forced', async () => {
    const id = await publish();
    expect(await rewrite(id, { locales: ['de', 'fr', 'de'] })).toMatchObject({ queued: 2, skipped: 0 });
    expect((await post('/rewrite', { listing_id: id })).body).toEqual({ queued: 5, skipped: 2 });
    await workers.work('rewrite-listing');
    const forced = await rewrite(id, { locales: ['de'], force: true });
    expect(forced).toMatchObject({ queued: 1, skipped: 0, jobs: [{ output: { outcome: 'completed' } }] });
  });

  test('a slug will do; an unknown listing is 404, an unknown locale 400', async () => {
    const id = await publish();
    const { slug } = (await readIn(id, 'en')).body;
    expect((await post('/rewrite', { listing_id: slug, locales: ['it'] })).body.queued).toBe(1);
    expect((await post('/rewrite', { listing_id: 'no-such-listing' })).status).toBe(404);
    const unknown = await post('/rewrite', { listing_id: id, locales: ['de', 'xx'] });
    expect([unknown.status, unknown.body.error.details.errors[0].path]).toEqual([400, '/body/locales/1']);
  });

  test('a batch takes ids, or the newest that lack a text', async () => {
    const [first, second] = [await publish(), await publish()];
    const byIds = await post('/rewrite-batch', { ids: [first, 'lst_none'], locales: ['de', 'fr'] });
    expect(byIds.body).toEqual({ queued: 2, skipped: 2 });
    await workers.work('rewrite-listing');
    await post('/rewrite-batch', { limit: 1, locales: ['de'] });
    const taken = await workers.take('rewrite-listing');
    expect(taken.map(({ data }) => data)).toEqual([{ listing_id: second, locale: 'de' }]);
  });

  test('without a provider the texts are skipped, and the status says so', async () => {
    workers.services.ai = undefined;
    const id = await publish();
    const before = (await app.as(admin).get('/api/admin/rewrite/status')).body;
    expect((await rewrite(id)).jobs[0]?.output).toEqual({ outcome: 'skipped' });
    const after = (await app.as(admin).get('/api/admin/rewrite/status')).body;
    expect(after.skipped - before.skipped).toBe(1);
    expect(after.by_locale.de.skipped - (before.by_locale.de?.skipped ?? 0)).toBe(1);
  });
});

describe('an answer is refused', () => {
  const faults: [string, (words: ReturnType<typeof wordsOf>) => Record<string, unknown>, string][] = [
    ['that loses a number', ({ description }) => ({ description: description.replace(/\d+/, '') }), 'The number'],
    ['that changes a number', ({ title }) => ({ title: title.replace('46', '47') }), 'The number 46'],
    ['that loses the name of the maker', ({ title }) => ({ title: title.replace('Bavaria', 'Yacht') }), '"Bavaria"'],
    ['that is cut off', ({ description }) => ({ description: description.slice(0, -10) }), 'ends before'],
    ['that is much too short', () => ({ description: 'Schönes Boot, 46 Fuß.' }), 'too short'],
    [
      'in another language',
      () => ({ description: 'Velero de crucero muy bien cuidado, de primera mano, con velas renovadas.' }),
      'not in German',
    ],
    ['that advertises', ({ description }) => ({ description: `${description} www.evil.example.` }), 'www.evil.example'],
  ];

  test.each(faults)(
    '%s: asked again with the reason, then failed; the original is shown',
    async (_name, fault, reason) => {
      const id = await publish();
      provider.feel((request) => translate(request, fault(wordsOf(request))));
      expect((await rewrite(id)).jobs[0]?.output).toEqual({ outcome: 'failed' });
      expect(provider.requests).toHaveLength(2);
      expect(JSON.stringify(provider.requests[1]?.body.messages.at(-1))).toContain(JSON.stringify(reason).slice(1, -1));
      const [row] = await rowsOf(id);
      expect(row).toMatchObject({ status: 'failed', title: null, error: expect.stringContaining(reason) });
      expect((await readIn(id, 'de')).headers.get('content-language')).toBe('en');
    },
  );

  test('once, and then right, it is completed', async () => {
    const id = await publish();
    provider.feel((request) => translate(request, { title: 'Yacht' }), translate);
    expect((await rewrite(id)).jobs[0]?.output).toEqual({ outcome: 'completed' });
  });

  test('it is not asked for again by itself until the listing changes', async () => {
    const id = await publish();
    provider.feel((request) => translate(request, { title: 'Yacht' }));
    await rewrite(id, {});
    await app.as(seller).put(`/api/listings/${id}`, { price: { amount: 1_001, currency: 'EUR', negotiable: false } });
    await workers.readJournal();
    const locales = (await workers.take('rewrite-listing')).filter(({ data }) => data.listing_id === id);
    expect(locales).toEqual([]);
  });

  test('SEO fields that are too long are cut between words', async () => {
    const id = await publish({ boat: { brand: 'Bavaria' } });
    const long = 'Yacht '.repeat(40).trim();
    provider.feel((request) => translate(request, { meta_title: long, meta_description: long }));
    await rewrite(id);
    const { seo } = (await readIn(id, 'de')).body.boat;
    expect([seo.meta_title.length <= 70, seo.meta_description.length <= 160]).toEqual([true, true]);
    expect(seo.meta_title).toMatch(/Yacht$/);
  });
});

describe('whatever happens', () => {
  test('a text of a listing that changed meanwhile is begun anew', async () => {
    const id = await publish();
    let isFirst = true;
    const newer = translatable().description;
    provider.feel((request) => translate(request));
    const slow = workers.services.ai!;
    workers.services.ai = {
      ...slow,
      async ask(task) {
        const answer = await slow.ask(task);
        if (isFirst) await app.as(seller).put(`/api/listings/${id}`, { description: newer });
        isFirst = false;
        return answer;
      },
    };
    expect((await rewrite(id)).jobs[0]?.output).toEqual({ outcome: 'completed' });
    const hull = /number (\d+)/.exec(newer)?.[1];
    expect((await readIn(id, 'de')).body.description).toContain(`Nummer ${hull}`);
    expect(provider.requests).toHaveLength(2);
  });

  test('a provider in trouble is asked again later; after the last try the text has failed', async () => {
    const id = await publish();
    provider.feel({ status: 503 });
    expect((await rewrite(id)).jobs[0]?.status).toBe('failed');
    expect((await rowsOf(id))[0]).toMatchObject({ status: 'pending', error: 'The provider answers 503.' });
    await app.database.pool.query(`update pgboss.job set start_after = now() where name = 'rewrite-listing'`);
    const last = queueOf('rewrite-listing').retryLimit;
    const [job] = await workers.work('rewrite-listing', (services, payload, context) =>
      rewriteListing(services, payload, { ...context, attempt: last }),
    );
    expect(job?.output).toEqual({ outcome: 'failed' });
    expect((await rowsOf(id))[0]).toMatchObject({ status: 'failed' });
  });

  test('a scraped listing is rewritten in its own language too, with its long description', async () => {
    const id = await publish();
    await app.database.pool.query(
      `update listings set source = 'scraped', long_description = description where id = $1`,
      [id],
    );
    await rewrite(id, { locales: ['en'] });
    const { body } = await readIn(id, 'en');
    expect(body.title).toContain('hull no.');
    expect(body.long_description).toContain('kept well by her first owner');
  });

  test('a listing that is gone leaves nothing', async () => {
    const id = await publish();
    await post('/rewrite', { listing_id: id, locales: ['de'] });
    await app.as(seller).delete(`/api/listings/${id}`);
    expect((await workers.work('rewrite-listing'))[0]?.output).toEqual({ outcome: 'gone' });
    expect(await rowsOf(id)).toEqual([]);
  });
});

test('the service says who rewrites and whether it answers', async () => {
  expect((await app.as(admin).get('/api/admin/rewrite/service')).body).toEqual({
    provider: 'stub',
    model: null,
    configured: false,
    healthy: true,
  });
  app.services.ai = workers.services.ai;
  const service = async () => (await app.as(admin).get('/api/admin/rewrite/service')).body;
  expect(await service()).toEqual({ provider: 'openai', model: 'a-model', configured: true, healthy: true });
  provider.feel({ status: 401 });
  expect(await service()).toMatchObject({ configured: true, healthy: false });
  app.services.ai = undefined;
});

test('the list of texts shows what was made from what, and why one failed', async () => {
  const id = await publish();
  const { title } = (await app.as(seller).get(`/api/listings/${id}`)).body;
  provider.feel(translate, (request) => translate(request, { title: 'Yacht' }));
  await rewrite(id, { locales: ['de'] });
  await rewrite(id, { locales: ['fr'] });
  const texts = async (query: string) => (await app.as(admin).get(`/api/admin/rewrite/texts?${query}`)).body;
  const { results } = await texts(`listing_id=${id}`);
  expect(results).toMatchObject([
    {
      locale: 'fr',
      status: 'failed',
      title: null,
      error: expect.stringContaining('The title lacks the name "Bavaria"'),
      attempts: 1,
    },
    { locale: 'de', status: 'completed', error: null, edited_by_human: false },
  ]);
  expect(results[1].listing).toMatchObject({ id, title, language: 'en', status: 'active' });
  expect(results[1].title).not.toBe(title);
  expect((await texts(`listing_id=${results[0].listing.slug}&status=failed`)).pagination.total).toBe(1);
  expect((await texts(`listing_id=${id}&locale=it`)).results).toEqual([]);
  expect((await texts('status=failed&limit=1')).results[0]).toMatchObject({ locale: 'fr', listing: { id } });
  expect((await texts('listing_id=lst_nobody')).results).toEqual([]);
});
