import { afterAll, beforeAll, expect, test } from 'vitest';
import { refreshListing } from '../../scrapers/refresh-listing.ts';
import { createScraperServices, type ScraperServices } from '../../scrapers/services.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import { createJobs, type Jobs } from '../../shared/queues/jobs.ts';
import { startApp, type Json, type TestApp, type TestUser } from '../support/app.ts';
import { startSite, type Route, type Site } from '../support/site-server.ts';
import { inThisProcess } from './isolation.ts';

const page = (name: string, price: number, availability = 'InStock') => `<!doctype html><title>${name}</title>
  <h1>${name}</h1><p>A boat that has been looked after well by her owners, and lies ready to sail.</p>
  <script type="application/ld+json">${JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'Product',
    name,
    description: 'A boat that has been looked after well by her owners, and lies ready to sail.',
    offers: { '@type': 'Offer', price, priceCurrency: 'EUR', availability: `https://schema.org/${availability}` },
  })}</script>`;

let app: TestApp;
let jobs: Jobs;
let scrapers: { services: ScraperServices; stop(): Promise<void> };
let seller: TestUser;
let site: Site;
const routes: Record<string, Route> = {};
beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  jobs = await createJobs(app.database.pool, app.services.log);
  scrapers = await createScraperServices(app.services.config, app.services.log, jobs.boss, systemClock, inThisProcess);
  seller = await app.createUser();
  site = await startSite(routes);
});
afterAll(async () => {
  await site.close();
  await scrapers.stop();
  await jobs.stop();
  await app.close();
});

const ingested = async (paths: string[]): Promise<string[]> => {
  const records = paths.map((path) => ({
    url: site.url + path,
    title: `Boat at ${path}`,
    description: 'What an agent has read on this page, in more words than the page itself has.',
    price: { amount: 10_000, currency: 'EUR' },
    scraped_at: new Date(Date.now() - 20 * 86_400_000).toISOString(),
  }));
  const { body } = await app.as(seller).post('/api/ingest', { records });
  const ids = records.map(({ url }) => body.ids[url] as string);
  await app.as(seller).post('/api/ingest/publish-bulk', { ids });
  return ids;
};
async function work(who: TestUser = seller): Promise<void> {
  expect((await app.as(who).post('/api/ingest/refresh/process', {})).status).toBe(202);
  for (const job of await jobs.boss.fetch<{ listing_ids: string[] }>('refresh-listing', { batchSize: 10 })) {
    const context = { signal: new AbortController().signal, log: app.services.log, jobId: job.id, attempt: 0 };
    await jobs.boss.complete(
      'refresh-listing',
      job.id,
      (await refreshListing(scrapers.services, job.data, context)) ?? {},
    );
  }
}
const rowOf = async (id: string): Promise<Json> =>
  (
    await app.database.pool.query(
      `select l.status, l.price_amount, l.description, l.boat, s.misses, s.last_error, s.last_verified_at, s.due_at
       from listings l join listing_sources s on s.listing_id = l.id where l.id = $1`,
      [id],
    )
  ).rows[0];

test('a page is asked for only if it has changed; one that has not is verified, and due again later than before', async () => {
  const asked: (string | undefined)[] = [];
  let body = page('Nimbus 305', 10_000);
  let etag = '"one"';
  routes['/versioned'] = (request, response) => {
    asked.push(request.headers['if-none-match']);
    if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
    response.writeHead(200, { 'content-type': 'text/html', etag }).end(body);
  };
  const [id = ''] = await ingested(['/versioned']);
  const workWhenDue = async () => {
    await app.database.pool.query('update listing_sources set due_at = now() where listing_id = $1', [id]);
    await work();
    const { rows } = await app.database.pool.query(
      'select scrape_count, interval_hours, last_verified_at, leased_until from listing_sources where listing_id = $1',
      [id],
    );
    return rows[0];
  };
  const first = await workWhenDue();
  const second = await workWhenDue();
  expect(asked).toEqual([undefined, '"one"']);
  expect(second).toMatchObject({ scrape_count: first.scrape_count + 1, leased_until: null });
  expect(second.interval_hours).toBe(Math.min(336, first.interval_hours * 2));
  expect(second.last_verified_at.getTime()).toBeGreaterThan(first.last_verified_at.getTime());

  [body, etag] = [page('Nimbus 305', 9_000), '"two"'];
  await workWhenDue();
  expect(await rowOf(id)).toMatchObject({ status: 'active', price_amount: 9_000 });

  // What the agent has read since is newer than what the page was known by.
  const { url } = site;
  const price = { amount: 8_500, currency: 'EUR' };
  await app.as(seller).post('/api/ingest', { records: [{ url: `${url}/versioned`, title: 'Nimbus 305', price }] });
  await workWhenDue();
  expect(asked).toEqual([undefined, '"one"', '"one"', undefined]);
  expect(await rowOf(id)).toMatchObject({ price_amount: 9_000 });
  await app.database.pool.query('delete from listings where id = $1', [id]);
  await app.database.pool.query('delete from refresh_looks');
});

test('each page is settled by what it says: price, gone, sold, over, failed; and reappears when it is there again', async () => {
  const paths = ['/cheaper', '/same', '/gone', '/sold', '/over', '/broken'];
  Object.assign(routes, {
    '/robots.txt': 'User-agent: *\nAllow: /\nCrawl-delay: 0',
    '/cheaper': page('Nimbus 305', 9_000),
    '/same': page('Hallberg 36', 10_000),
    '/sold': page('Contessa 32', 10_000, 'SoldOut'),
    '/over': '<!doctype html><title>Boats</title><h1>This listing is no longer available</h1><p>See others.</p>',
    '/broken': { status: 418 },
  });
  const ids = await ingested(paths);
  const [cheaper, same, gone, sold, over, broken] = ids as [string, string, string, string, string, string];
  await work();
  expect(await rowOf(cheaper)).toMatchObject({
    status: 'active',
    price_amount: 9_000,
    description: expect.stringContaining('an agent has read'),
    boat: { price_history: [{ amount: 10_000, currency: 'EUR' }] },
  });
  expect(await rowOf(same)).toMatchObject({ status: 'active', price_amount: 10_000, misses: 0, last_error: null });
  expect((await rowOf(same))['due_at'].getTime()).toBeGreaterThan(Date.now());
  expect(await rowOf(gone)).toMatchObject({ status: 'active', misses: 1 });
  expect(await rowOf(sold)).toMatchObject({ status: 'expired', misses: 0 });
  expect(await rowOf(over)).toMatchObject({ status: 'active', misses: 1 });
  expect(await rowOf(broken)).toMatchObject({
    status: 'active',
    misses: 0,
    last_error: expect.stringContaining('418'),
  });

  await work();
  expect(await rowOf(gone)).toMatchObject({ status: 'expired', misses: 2 });
  expect(await rowOf(over)).toMatchObject({ status: 'expired' });
  const { body } = await app.as(seller).get('/api/ingest/refresh/stats');
  expect(body).toMatchObject({ total: 6, changed_24h: 2, gone_24h: 4, failed_24h: 1, refreshed_24h: 8 });

  Object.assign(routes, { '/gone': page('Boat that came back', 10_000), '/sold': page('Contessa 32', 10_000) });
  await app.database.pool.query('update listing_sources set due_at = now() where listing_id = any($1)', [[gone, sold]]);
  await work();
  expect(await rowOf(gone)).toMatchObject({ status: 'active', misses: 0, last_error: null });
  expect(await rowOf(sold)).toMatchObject({ status: 'active' });
});

test("a page that two owners know is looked at for each of them: what one look has settled is not the other's", async () => {
  const admin = await app.createUser({ role: 'admin' });
  const etag = '"shared"';
  routes['/shared'] = (request, response) => {
    if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
    response.writeHead(200, { 'content-type': 'text/html', etag }).end(page('Najad 390', 7_000));
  };
  const url = `${site.url}/shared`;
  const record = { url, title: 'Najad 390', price: { amount: 10_000, currency: 'EUR' } };
  const idOf = async (who: TestUser): Promise<string> =>
    (await app.as(who).post('/api/ingest', { records: [record] })).body.ids[url];
  const [theirs, ours] = [await idOf(seller), await idOf(admin)];
  const lookAt = async (id: string) => {
    await app.database.pool.query(`update listing_sources set due_at = now() + interval '1 day'`);
    await app.database.pool.query('update listing_sources set due_at = now() where listing_id = $1', [id]);
    await work(id === ours ? admin : seller);
  };
  await lookAt(theirs);
  expect(await rowOf(theirs)).toMatchObject({ price_amount: 7_000 });
  expect(await rowOf(ours)).toMatchObject({ price_amount: 10_000 });
  await lookAt(ours);
  expect(await rowOf(ours)).toMatchObject({ price_amount: 7_000 });
  await app.database.pool.query('update listing_sources set due_at = now() where listing_id = any($1)', [
    [theirs, ours],
  ]);
  await work(admin);
  for (const id of [theirs, ours])
    expect(await rowOf(id)).toMatchObject({ price_amount: 7_000, last_error: null, due_at: expect.any(Date) });
  const { rows } = await app.database.pool.query(
    'select count(*)::int as n from listing_sources where listing_id = any($1) and due_at > now() and leased_until is null',
    [[theirs, ours]],
  );
  expect(rows).toEqual([{ n: 2 }]);
});

test('a page that only prints that its thing is sold is confirmed by a second look; one that denies it, or whose markup does, keeps its listing', async () => {
  const printed = (name: string, said: string) => `<!doctype html><title>${name}</title>
    <h1>${name}</h1><p class="price">€ 10,000</p><p class="status">${said}</p>
    <p>A boat that has been looked after well by her owners, and lies ready to sail.</p>`;
  Object.assign(routes, {
    '/printed': printed('Contessa 26', 'SOLD'),
    '/regretted': printed('Contessa 28', 'Verkauft'),
    '/denied': printed('Contessa 30', 'NOT SOLD'),
    '/contradicted': page('Contessa 35', 10_000).replace('</h1>', '</h1><p class="status">SOLD</p>'),
  });
  const ids = await ingested(['/printed', '/regretted', '/denied', '/contradicted']);
  const [sold, regretted, denied, contradicted] = ids as [string, string, string, string];
  await work();
  for (const id of ids) expect(await rowOf(id)).toMatchObject({ status: 'active' });
  for (const id of [sold, regretted]) expect((await rowOf(id))['due_at'].getTime()).toBeLessThanOrEqual(Date.now());
  for (const id of [denied, contradicted]) expect((await rowOf(id))['due_at'].getTime()).toBeGreaterThan(Date.now());

  routes['/regretted'] = printed('Contessa 28', 'For sale');
  await app.database.pool.query('update listing_sources set due_at = now() where listing_id = any($1)', [ids]);
  await work();
  expect(await rowOf(sold)).toMatchObject({ status: 'expired', last_error: expect.stringContaining('sold') });
  for (const id of [regretted, denied, contradicted]) expect(await rowOf(id)).toMatchObject({ status: 'active' });
});
