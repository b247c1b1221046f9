import { afterAll, beforeAll, expect, test } from 'vitest';
import { snapshotSlowFigures } from '../../../shared/admin/slow-figures.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { createListing } from '../../support/openapi-cases-things.ts';
import { ingestBody } from '../../support/listing-bodies.ts';
import { waitFor } from '../../support/waiting.ts';

const DAY = 86_400_000;
const now = new Date('2026-05-20T12:00:00.000Z');
const ago = (days: number) => new Date(now.getTime() - days * DAY);

let app: TestApp;
let admin: Client;
let seller: TestUser;
let buyer: TestUser;
beforeAll(async () => {
  app = await startApp({ clock: { now: () => now } });
  admin = app.as(await app.createUser({ role: 'admin' }));
  seller = await app.createUser();
  buyer = await app.createUser({ verified: false });
  await fill();
});
afterAll(async () => {
  await app.close();
});

const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows;

async function listing(status: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { id } = await createListing(app.services, seller, status);
  const columns = Object.keys(fields);
  if (columns.length > 0)
    await query(`update listings set ${columns.map((column, n) => `${column} = $${n + 2}`).join(', ')} where id = $1`, [
      id,
      ...Object.values(fields),
    ]);
  return id;
}

/** Six cruising yachts and an engine on offer, two yachts sold, a draft. */
async function fill(): Promise<void> {
  for (const [n, price] of [10_000, 20_000, 30_000, 40_000, 90_000].entries())
    await listing('active', {
      category_id: 'cruising',
      price_amount: price,
      created_at: ago(n * 20),
      year: 1975 + n * 10,
      length_m: 8 + n,
      attributes: JSON.stringify({ brand: n < 3 ? 'Bavaria' : 'Najad' }),
    });
  await listing('active', { category_id: 'cruising', price_amount: 500, price_currency: 'USD', country: 'NL' });
  const engine = await listing('active', { category_id: 'engines', price_amount: 3_000 });
  await listing('sold', { category_id: 'cruising', published_at: ago(14), created_at: ago(14), sold_at: ago(4) });
  await listing('sold', { category_id: 'cruising', published_at: ago(60), created_at: ago(60), sold_at: ago(40) });
  await listing('draft');
  for (const [day, views] of Object.entries({ '2026-05-20': 7, '2026-03-01': 5 }))
    await query(
      `insert into listing_visits (listing_id, hour, visitor) select $1, $2::date + interval '9 hours', sha256(n::text::bytea) from generate_series(1, $3::int) as n`,
      [engine, day, views],
    );
  await query(
    `insert into conversations (id, listing_id, listing_title, listing_slug, buyer_id, seller_id, last_message_at, created_at)
     values ($1, $2, 'An engine', 'an-engine', $3, $4, $5, $5)`,
    [newId('conversation'), engine, buyer.id, seller.id, ago(1)],
  );
}

test('metrics count listings by status, accounts by type, and categories that hold something with those above them', async () => {
  const { body } = await admin.get('/api/admin/metrics');
  expect(body.listings.by_status).toMatchObject({ active: 7, sold: 2, draft: 1, deleted: 0 });
  expect(body.users).toEqual({ total: 3, by_type: { human: 3, agent: 0 }, verified: 2 });
  // sailboats > cruising, and engines.
  expect(body.categories).toEqual({ total: app.services.catalog.flat().length, with_listings: 3 });
});

test('figures that take long to count are told as a worker has counted them, for ten minutes', async () => {
  const { body: real } = await admin.get('/api/admin/inventory');
  const count = async (tookMs: number, counted = now) => {
    let elapsed = 0;
    await snapshotSlowFigures(
      { pool: app.database.pool, clock: { now: () => counted } },
      new AbortController().signal,
      () => (elapsed += tookMs),
    );
    return query('select name from kept_figures order by name');
  };
  expect(await count(500)).toEqual(['images', 'inventory', 'kpis', 'nautical'].map((name) => ({ name })));
  for (const path of ['image-stats', 'inventory', 'kpis', 'nautical/analytics']) {
    await query(`update kept_figures set figures = jsonb_set(figures, '{generated_at}', '"2026-05-20T11:51:00.000Z"'),
      counted_at = '2026-05-20T11:51:00.000Z'`);
    expect((await admin.get(`/api/admin/${path}`)).body.generated_at).toBe('2026-05-20T11:51:00.000Z');
    await query(`update kept_figures set counted_at = '2026-05-20T11:49:00.000Z'`);
    expect((await admin.get(`/api/admin/${path}`)).body.generated_at).toBe(now.toISOString());
  }
  expect(await count(500, ago(1))).toHaveLength(4);
  expect(await query('select distinct counted_at from kept_figures')).toEqual([
    { counted_at: new Date('2026-05-20T11:49:00.000Z') },
  ]);
  expect(await count(499)).toEqual([]);
  expect((await admin.get('/api/admin/inventory')).body).toEqual(real);
});

test('the inventory counts active listings alone, and every count adds up to the total', async () => {
  const { body } = await admin.get('/api/admin/inventory');
  expect(body).toMatchObject({
    total: 7,
    by_category: { cruising: 6, engines: 1 },
    by_country: { DE: 6, NL: 1 },
    by_source: { api: 7, web: 0, seed: 0, scraped: 0 },
    by_age: { under_7_days: 3, '7_to_30_days': 1, '30_to_90_days': 3, '90_to_365_days': 0, over_365_days: 0 },
  });
});

test('key figures tell of the days asked for: sums, categories and every day', async () => {
  const { body } = await admin.get('/api/admin/kpis?days=30');
  expect(body.totals).toEqual({
    listings_active: 7,
    new_listings: 6,
    views: 7,
    contacts: 1,
    sold: 1,
    median_price: 25_000,
    currency: 'EUR',
    median_days_to_sell: 10,
  });
  const figures = Object.fromEntries(body.by_category.map((each: { category: string }) => [each.category, each]));
  expect(figures['cruising']).toMatchObject({
    listings_active: 6,
    sold: 1,
    views: 0,
    median_price: 30_000,
    currency: 'EUR',
  });
  expect(figures['engines']).toMatchObject({
    listings_active: 1,
    views: 7,
    contacts: 1,
    median_price: 3_000,
    median_days_to_sell: null,
  });
  expect(body.by_day).toHaveLength(30);
  expect(body.by_day.at(-1)).toEqual({ date: '2026-05-20', new_listings: 4, views: 7, contacts: 0, sold: 0 });
  expect((await admin.get('/api/admin/kpis?days=60')).body.totals).toMatchObject({ sold: 2, median_days_to_sell: 15 });
});

test('the key figures of a category include what is below it, and nothing else', async () => {
  const { body } = await admin.get('/api/admin/kpis/sailboats');
  expect(body.category).toMatchObject({ id: 'sailboats' });
  expect(body.totals).toMatchObject({ listings_active: 6, views: 0, contacts: 0, median_price: 30_000 });
  expect(body.by_category.map(({ category }: { category: string }) => category)).toEqual(['cruising', 'sailboats']);
  expect((await admin.get('/api/admin/kpis/none-such')).status).toBe(404);
});

test('what is on offer is told by brand, year, length and price; what is sold is not', async () => {
  const { body } = await admin.get('/api/admin/nautical/analytics');
  expect(body).toMatchObject({ total: 7, by_category: { cruising: 6, engines: 1 }, priced: 7 });
  expect(body.top_brands[0]).toEqual({ brand: 'bavaria', count: 3 });
  expect(body.by_year).toContainEqual({ from: 1970, to: 1980, count: 1 });
  expect(body.by_length_m).toContainEqual({ from: 9, to: 12, count: 3 });
  expect(body.price).toEqual({ currency: 'EUR', sample_size: 6, p25: 12_500, median: 25_000, p75: 37_500 });
});

test('tracked figures add up over the days', async () => {
  await app.as().post('/api/track', { event: 'page_view', path: '/boats' });
  const { body } = await admin.get('/api/admin/nautical/tracking?days=7');
  expect(body.range).toEqual({ days: 7, from: '2026-05-14', to: '2026-05-20' });
  expect(body.totals).toMatchObject({ page_views: 1, signups: 3, listing_views: 7 });
  expect(body.by_day).toHaveLength(7);
  expect(body.by_day.at(-1)).toMatchObject({ date: '2026-05-20', page_views: 1 });
});

test('scrape-stats tell of sites, freshness and runs', async () => {
  const [one, two] = [ingestBody(), ingestBody()];
  const { body: ingested } = await admin.post('/api/ingest', { records: [one, two] });
  await query('update listing_sources set scraped_at = $2, last_verified_at = null where listing_id = $1', [
    ingested.ids[one.url],
    ago(10),
  ]);
  await query(
    `insert into runs (id, kind, subject, status, counters, created_at, updated_at) values ($1, 'scraper', 'scr_x', 'failed', $2, $3, $3)`,
    [newId('run'), JSON.stringify({ pages_fetched: 12, created: 3, failed: 2 }), now],
  );
  const { body } = await admin.get('/api/admin/nautical/scrape-stats');
  expect(body.listings).toMatchObject({ total: 2, by_status: { draft: 2 } });
  expect(body.freshness).toEqual({ under_24_hours: 1, under_7_days: 1, under_30_days: 2, over_60_days: 0 });
  expect(body.runs).toMatchObject({ total: 1, failed: 1, pages_fetched: 12, created: 3, failed_records: 2 });
  expect(body.by_site).toMatchObject([{ site: 'boats.example.com', listings: 2, active: 0, new_7_days: 2 }]);
});

test('administrators find listings in any status, by category, source and site', async () => {
  const page = async (filter: string) => (await admin.get(`/api/admin/nautical/listings?${filter}`)).body;
  expect((await page('status=sold')).pagination.total).toBe(2);
  expect((await page('status=active&category=sailboats&limit=2')).pagination).toEqual({
    page: 1,
    limit: 2,
    total: 6,
    pages: 3,
  });
  expect((await page('source=scraped')).results).toHaveLength(2);
  expect((await page('site=boats.example.com')).pagination.total).toBe(2);
  expect((await page('category=none-such')).pagination.total).toBe(0);
  expect((await page('page=1000000&limit=100')).results).toEqual([]);
});

test('recent requests come newest first, with the caller and a truncated address, also those of another process', async () => {
  const twin = await app.twin();
  await app.as(seller).get('/api/me?', { headers: { 'X-Request-Id': 'of-the-seller' } });
  await twin.as().get('/api/categories/none-such', { headers: { 'X-Request-Id': 'of-the-other' } });
  await app.as('bad').get('/api/me', { headers: { 'X-Request-Id': 'of-a-stranger' } });
  await waitFor(async () => {
    const { body } = await admin.get('/api/admin/recent-requests');
    const found = (id: string) => body.results.find(({ request_id }: { request_id: string }) => request_id === id);
    expect(found('of-the-seller')).toMatchObject({
      method: 'GET',
      path: '/api/me',
      status: 200,
      user_id: seller.id,
      ip: '127.0.0.0',
    });
    expect(found('of-a-stranger')).toMatchObject({ status: 401, user_id: null });
    expect(found('of-the-other')).toMatchObject({ path: '/api/categories/none-such', status: 404 });
    const times = body.results.map(({ at }: { at: string }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
  });
  await twin.close();
});

test('the detailed health names what is wrong', async () => {
  const { body } = await admin.get('/api/admin/health-detailed');
  expect(body).toMatchObject({
    status: 'healthy',
    problems: [],
    database: { connected: true },
    storage: { kind: 'disk', healthy: true },
  });
  expect(body.queues.map(({ name }: { name: string }) => name)).toContain('expire-listings');
  await query(`insert into journal_cursors (reader, xid, seq, updated_at) values ('lost', '0', 0, $1)`, [now]);
  await query('delete from events');
  await query(`insert into events (type, subject, data, created_at) values ('ping', 'x', '{}', $1)`, [ago(1)]);
  const { body: worse } = await admin.get('/api/admin/health-detailed');
  expect(worse.status).toBe('degraded');
  expect(worse.problems).toEqual([expect.stringContaining('The reader lost of the journal')]);
});

test('the metrics tell of pool, cache, search lag, journal readers and when a scraper succeeded last, if ever', async () => {
  const [scraper, barren, run] = [newId('scraper'), newId('scraper'), newId('run')];
  for (const [id, name] of [
    [scraper, 'Boats'],
    [barren, 'Barren'],
  ])
    await query(
      `insert into scrapers (id, name, site, kind, start_urls, extract, max_pages, requests_per_minute, owner_id, created_at, updated_at)
       values ($1, $4, 'boats.example.com', 'http', '{}', '{}', 1, 1, $2, $3, $3)`,
      [id, seller.id, now, name],
    );
  await query(
    `insert into runs (id, kind, subject, status, created_at, updated_at, finished_at) values ($1, 'scraper', $2, 'succeeded', $3, $3, $3)`,
    [run, scraper, now],
  );
  const lines = new Set((await admin.get('/metrics')).text.split('\n'));
  const value = (series: string) =>
    Number(
      [...lines]
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')
        .at(-1),
    );
  expect(value(`quayside_scraper_last_success_timestamp_seconds{scraper="${scraper}",name="Boats"}`)).toBe(
    now.getTime() / 1_000,
  );
  const never = `{scraper="${barren}",name="Barren"}`;
  expect(value(`quayside_scraper_last_success_timestamp_seconds${never}`)).toBe(0);
  expect(value(`quayside_scraper_created_timestamp_seconds${never}`)).toBe(now.getTime() / 1_000);
  expect(value(`quayside_scraper_enabled${never}`)).toBe(1);
  expect(value('quayside_db_pool_connections{state="open",process="api"}')).toBeGreaterThan(0);
  expect(value('quayside_response_cache_requests_total{result="miss",process="api"}')).toBeGreaterThan(0);
  expect(value('quayside_response_cache_entries{process="api"}')).toBeGreaterThanOrEqual(0);
  expect(value('quayside_search_index_lag_seconds')).toBeGreaterThan(0);
  expect(value('quayside_job_queue_oldest_seconds{queue="index-listing"}')).toBeGreaterThan(0);
  expect(value('quayside_journal_reader_lag_seconds{reader="lost"}')).toBe(86_400);
});
