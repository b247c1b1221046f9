import { afterEach, beforeEach, expect, test } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';

let app: TestApp;
let owner: TestUser;
beforeEach(async () => {
  app = await startApp();
  owner = await app.createUser();
});
afterEach(() => app.close());

const publish = (body?: unknown, { query = '', who = owner }: { query?: string; who?: TestUser } = {}) =>
  app.as(who).post(`/api/ingest/publish-bulk${query}`, body);
const ingest = async (records: Record<string, unknown>[], who: TestUser = owner): Promise<string[]> => {
  const { body } = await app.as(who).post('/api/ingest', { records });
  return records.map((record) => body.ids[String(record['url'])]);
};
const statusOf = async (id: string) =>
  (await app.database.pool.query('select status from listings where id = $1', [id])).rows[0]?.status;

test('without ids or filters all drafts of the caller go public, and nobody elses', async () => {
  const mine = await ingest([ingestBody(), ingestBody()]);
  const [theirs = ''] = await ingest([ingestBody()], await app.createUser());
  const { status, body } = await publish();
  expect({ status, body }).toEqual({ status: 200, body: { published: 2, failed: [], skipped: [] } });
  for (const id of mine) expect(await statusOf(id)).toBe('active');
  expect(await statusOf(theirs)).toBe('draft');
  const { rows } = await app.database.pool.query(
    `select subject from events where type = 'listing.published' order by subject`,
  );
  expect(rows.map(({ subject }) => subject)).toEqual(mine.toSorted());
  expect((await publish()).body).toEqual({ published: 0, failed: [], skipped: [] });
});

test('an admin publishes the drafts of everybody', async () => {
  await ingest([ingestBody(), ingestBody()]);
  await ingest([ingestBody()], await app.createUser());
  expect((await publish({}, { who: await app.createUser({ role: 'admin' }) })).body).toMatchObject({ published: 3 });
});

test('a draft whose page is gone, or says that its thing is sold, is skipped', async () => {
  const [kept = '', gone = ''] = await ingest([ingestBody(), ingestBody()]);
  await app.database.pool.query(
    `update listing_sources set withdrawn_at = now(), withdrawn_from = 'draft' where listing_id = $1`,
    [gone],
  );
  const reason = expect.stringContaining('gone');
  expect((await publish()).body).toEqual({ published: 1, failed: [], skipped: [{ id: gone, reason }] });
  expect([await statusOf(kept), await statusOf(gone)]).toEqual(['active', 'draft']);
});

test('named ids: drafts are published, others skipped, unknown and foreign ones failed', async () => {
  const [first = '', second = '', active = ''] = await ingest([ingestBody(), ingestBody(), ingestBody()]);
  await app.database.pool.query(`update listings set status = 'active' where id = $1`, [active]);
  const [foreign = ''] = await ingest([ingestBody()], await app.createUser());
  const { rows } = await app.database.pool.query('select slug from listings where id = $1', [second]);
  const unknown = newId('listing');
  const { body } = await publish({ ids: [first, rows[0].slug, active, foreign, unknown, first] });
  expect(body).toEqual({
    published: 2,
    skipped: [{ id: active, reason: expect.stringContaining('active') }],
    failed: [
      { id: foreign, reason: expect.any(String) },
      { id: unknown, reason: expect.any(String) },
    ],
  });
  expect(await statusOf(foreign)).toBe('draft');
  expect((await publish({ ids: [] })).body).toEqual({ published: 0, failed: [], skipped: [] });
});

test('filters choose the drafts, as in a search', async () => {
  const [sailing = '', motor = '', dear = ''] = await ingest([
    ingestBody({ category_id: 'cruising', title: 'Hallberg-Rassy 36 bluewater cruiser' }),
    ingestBody({ category_id: 'bowriders', attributes: { brand: 'Bayliner', year: 2012 } }),
    ingestBody({ category_id: 'bowriders', price: { amount: 500_000, currency: 'EUR' } }),
  ]);
  expect((await publish(undefined, { query: '?category=sailboats&q=bluewater' })).body).toMatchObject({ published: 1 });
  expect(await statusOf(sailing)).toBe('active');
  expect(
    (
      await publish(undefined, {
        query: '?category=motorboats&max_price=100000&attr[brand]=bayliner&attr[max_year]=2015',
      })
    ).body,
  ).toMatchObject({ published: 1 });
  expect(await statusOf(motor)).toBe('active');
  expect((await publish({ ids: [sailing, dear] }, { query: '?max_price=100000' })).body).toEqual({
    published: 0,
    failed: [],
    skipped: [
      { id: sailing, reason: expect.stringContaining('active') },
      { id: dear, reason: expect.stringContaining('filters') },
    ],
  });
  expect((await publish(undefined, { query: '?category=nonsense' })).body).toEqual({
    published: 0,
    failed: [],
    skipped: [],
  });
  expect((await publish(undefined, { query: '?nonsense=1' })).status).toBe(400);
});

test('words choose the drafts by their synonyms, too, and not when they are mistyped', async () => {
  const [boat = '', tender = ''] = await ingest([
    ingestBody({ title: 'Old sail boat from Kiel' }),
    ingestBody({ title: 'Tender with an outboard' }),
  ]);
  expect((await publish(undefined, { query: '?q=sailboats' })).body).toMatchObject({ published: 1 });
  expect((await publish(undefined, { query: '?q=tenedr' })).body).toMatchObject({ published: 0 });
  expect([await statusOf(boat), await statusOf(tender)]).toEqual(['active', 'draft']);
});

test('what moderation rejects and what lacks the images its scraper demands has failed, the others are published', async () => {
  const spam = `Look ${Array.from({ length: 8 }, (_, index) => `https://spam${index}.example.com/x`).join(' ')}`;
  const [good = '', bad = '', bare = ''] = await ingest([
    ingestBody(),
    ingestBody({ description: spam }),
    ingestBody(),
  ]);
  const scraper = newId('scraper');
  const now = new Date();
  await app.database.db
    .insertInto('scrapers')
    .values({
      id: scraper,
      name: 'x',
      site: 'x.example.com',
      kind: 'http',
      start_urls: [],
      extract: '{}',
      max_pages: 1,
      requests_per_minute: 1,
      require_images: true,
      owner_id: owner.id,
      created_at: now,
      updated_at: now,
    })
    .execute();
  await app.database.pool.query('update listing_sources set scraper_id = $1 where listing_id = $2', [scraper, bare]);
  const { body } = await publish({ ids: [good, bad, bare] });
  expect(body).toEqual({
    published: 1,
    skipped: [],
    failed: [
      { id: bad, reason: expect.stringContaining('Moderation') },
      { id: bare, reason: expect.stringContaining('images') },
    ],
  });
  expect([await statusOf(good), await statusOf(bad), await statusOf(bare)]).toEqual(['active', 'draft', 'draft']);
});

test('parallel calls publish each draft once', async () => {
  const ids = await ingest(Array.from({ length: 40 }, () => ingestBody()));
  const replies = await Promise.all(
    [ids, ids.toReversed(), ids, undefined, undefined].map((named) => publish(named && { ids: named })),
  );
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(replies.reduce((sum, { body }) => sum + body.published, 0)).toBe(40);
  const { rows } = await app.database.pool.query(
    `select count(*)::int as n from events where type = 'listing.published'`,
  );
  expect(rows).toEqual([{ n: 40 }]);
});

test('no mail for a bulk, 400 for too many ids, 401 without a credential, 403 with a read key', async () => {
  await app.as(owner).post('/api/listings', listingBody());
  expect((await publish()).body).toMatchObject({ published: 1 });
  expect((await app.database.pool.query(`select 1 from pgboss.job where name = 'send-email'`)).rows).toEqual([]);
  expect((await publish({ ids: Array.from({ length: 10_001 }, () => 'lst_x') })).status).toBe(400);
  expect((await app.as().post('/api/ingest/publish-bulk', {})).status).toBe(401);
  const { body: key } = await app.as(owner).post('/api/api-keys', { name: 'reader', permissions: 'read' });
  expect((await app.as(key.key).post('/api/ingest/publish-bulk', {})).status).toBe(403);
});

test('20,000 drafts are published in one call', async () => {
  await app.database.pool.query(
    `insert into listings (id, slug, seller_id, category_id, status, condition, title, description, price_amount, price_currency, country, city, source,
       language, created_at, updated_at, expires_at)
     select 'lst_' || lpad(n::text, 26, '0'), 'bulk-' || n, $1, 'bowriders', 'draft', 'good', 'Bayliner bowrider number ' || n,
       'A runabout from first hand, always kept in a hall, number ' || n, 1000 + n, 'USD', 'US', 'Austin', 'scraped', 'en', now(), now(), now()
     from generate_series(1, 20000) as n`,
    [owner.id],
  );
  const startedAt = performance.now();
  const { body } = await publish();
  console.info(`20,000 drafts published in ${Math.round(performance.now() - startedAt)} ms`);
  expect(body).toEqual({ published: 20_000, failed: [], skipped: [] });
});
