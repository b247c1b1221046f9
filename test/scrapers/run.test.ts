import { gunzipSync } from 'node:zlib';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { crawlInProcess } from '../../scrapers/crawl/process.ts';
import { endLostCrawls } from '../../scrapers/crawl/run-lost.ts';
import { runScraper } from '../../scrapers/run-scraper.ts';
import { startApp, type Client, type Json, type TestApp, type TestUser } from '../support/app.ts';
import { dataFile } from '../support/data.ts';
import { startSite, type Route, type Site } from '../support/site-server.ts';
import { boatPage, listPage } from './crawl/support.ts';
import { runToItsEnd, startFleet, until, type Fleet } from './run-support.ts';

let app: TestApp;
let fleet: Fleet;
let user: TestUser;
let admin: Client;
const sites: Site[] = [];

beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1', LOG_LEVEL: 'silent' } });
  user = await app.createUser({ role: 'admin' });
  admin = app.as(user);
  fleet = await startFleet(app);
});
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});
afterAll(async () => {
  await fleet.stop();
  await app.close();
});

async function site(routes: Record<string, Route>): Promise<Site> {
  const started = await startSite(routes);
  sites.push(started);
  return started;
}

async function newScraper(siteUrl: string, fields: Json = {}): Promise<string> {
  const body = {
    name: 'Boats',
    start_urls: [`${siteUrl}/boats`],
    link_pattern: '/boats/[a-z0-9-]+$',
    requests_per_minute: 6000,
    ...fields,
  };
  return (await admin.post('/api/admin/scrapers', body)).body.id;
}

const listingsOf = async (scraperId: string) =>
  (
    await app.database.pool.query(
      `select l.id, l.title, l.status, l.seller_id, l.price_amount, l.price_currency, l.images, s.url, s.misses
       from listings l join listing_sources s on s.listing_id = l.id where s.scraper_id = $1 order by l.title`,
      [scraperId],
    )
  ).rows;
const eventsOf = async (runId: string) =>
  (await app.database.pool.query<{ type: string }>('select type from events where subject = $1', [runId])).rows.map(
    (row) => row.type,
  );
const runOf = async (scraperId: string) =>
  (await admin.get(`/api/admin/scrapers/${scraperId}/runs?limit=1`)).body.results[0];

const fleetOfBoats = {
  '/boats': listPage(['/boats/one', '/boats/two'], '/boats?page=2'),
  '/boats?page=2': listPage(['/boats/three', '/boats/sold']),
  '/boats/one': boatPage('Bavaria 37 Cruiser'),
  '/boats/two': boatPage('Hanse 341 for sale'),
  '/boats/three': boatPage('Dehler 34 Nova'),
  '/boats/sold': { status: 404 },
};

describe('a run, from the request to the listing', () => {
  test('makes a draft of every page, counts each, ends with one event, and changes nothing the second time', async () => {
    const { url } = await site(fleetOfBoats);
    const id = await newScraper(url);
    const run = await runToItsEnd(admin, id);
    expect(run).toMatchObject({
      status: 'succeeded',
      pages_fetched: 5,
      records_found: 3,
      created: 3,
      updated: 0,
      unchanged: 0,
      skipped: 0,
      failed: 1,
    });
    expect(run.errors).toEqual([
      { url: `${url}/boats/sold`, message: 'The page answered 404.', at: expect.any(String) },
    ]);
    expect(await listingsOf(id)).toEqual(
      ['Bavaria 37 Cruiser', 'Dehler 34 Nova', 'Hanse 341 for sale'].map((title) =>
        expect.objectContaining({
          title,
          status: 'draft',
          seller_id: user.id,
          price_amount: 45_000,
          price_currency: 'EUR',
        }),
      ),
    );
    expect(await eventsOf(run.id)).toEqual(['run.completed']);
    expect((await admin.get('/api/admin/scrapers')).body.results.find((each: Json) => each.id === id).last_run.id).toBe(
      run.id,
    );

    const again = await runToItsEnd(admin, id);
    expect(again).toMatchObject({ status: 'succeeded', records_found: 3, created: 0, unchanged: 3 });
    expect(await listingsOf(id)).toHaveLength(3);
  });

  test('auto_publish publishes what it made, and require_images holds back what has none', async () => {
    const photo = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#2a6f97' } })
      .png()
      .toBuffer();
    const { url } = await site({
      '/boats': listPage(['/boats/one']),
      '/boats/one': boatPage('Bavaria 37 Cruiser', '', '/photo.png'),
      '/photo.png': { headers: { 'content-type': 'image/png' }, body: photo },
    });
    const published = await newScraper(url, { auto_publish: true, require_images: true });
    await runToItsEnd(admin, published);
    const [listing] = await until(
      () => listingsOf(published),
      ([each]) => each?.status === 'active',
    );
    expect(listing?.images).toHaveLength(1);
    const { url: other } = await site(fleetOfBoats);
    const held = await newScraper(other, { auto_publish: true, require_images: true, link_pattern: '/boats/one$' });
    await runToItsEnd(admin, held);
    await until(
      async () =>
        (
          await app.database.pool.query(
            `select output from pgboss.job where name = 'publish-scraped' and state = 'completed' and data->>'scraper_id' = $1`,
            [held],
          )
        ).rows,
      (jobs) => jobs.length > 0,
    );
    expect((await listingsOf(held)).map((listing) => listing.status)).toEqual(['draft']);
  });

  test('a page that is gone later makes its listing due, and no other', async () => {
    const routes: Record<string, Route> = { ...fleetOfBoats };
    const { url } = await site(routes);
    const id = await newScraper(url);
    await runToItsEnd(admin, id);
    routes['/boats/two'] = { status: 410 };
    await runToItsEnd(admin, id);
    expect((await listingsOf(id)).map(({ title, misses, status }) => [title, misses, status])).toEqual([
      ['Bavaria 37 Cruiser', 0, 'draft'],
      ['Dehler 34 Nova', 0, 'draft'],
      ['Hanse 341 for sale', 1, 'draft'],
    ]);
  });

  test('a browser scraper without a browser fails with a word on what to do', async () => {
    const { url } = await site(fleetOfBoats);
    const lonely = await startApp({ env: { FETCH_ALLOW: '127.0.0.1', CHROMIUM_PATH: '/nowhere/chromium' } });
    const itsFleet = await startFleet(lonely);
    const itsAdmin = lonely.as(await lonely.createUser({ role: 'admin' }));
    const { body } = await itsAdmin.post('/api/admin/scrapers', {
      name: 'Boats',
      kind: 'browser',
      start_urls: [`${url}/boats`],
    });
    const run = await runToItsEnd(itsAdmin, body.id);
    expect(run).toMatchObject({
      status: 'failed',
      errors: [{ message: expect.stringContaining('install chromium or set CHROMIUM_PATH') }],
    });
    await itsFleet.stop();
    await lonely.close();
  });
});

describe('runs that end otherwise', () => {
  test('a site that is down: failed, with a reason; other sites are not affected', async () => {
    const { url } = await site(fleetOfBoats);
    const down = await startSite({});
    await down.close();
    const [bad, good] = await Promise.all([
      newScraper(down.url).then((id) => runToItsEnd(admin, id)),
      newScraper(url).then((id) => runToItsEnd(admin, id)),
    ]);
    expect(bad).toMatchObject({
      status: 'failed',
      pages_fetched: 0,
      errors: expect.arrayContaining([{ message: expect.stringContaining('ECONNREFUSED'), at: expect.any(String) }]),
    });
    expect(await eventsOf(bad.id)).toEqual(['run.failed']);
    expect(good.status).toBe('succeeded');
  });

  test('a first run whose pages are mostly gone waits for an admin and says so; once accepted, that is the measure', async () => {
    const links = Array.from({ length: 20 }, (_, i) => `/boats/b${i}`);
    const routes: Record<string, Route> = { '/boats': listPage(links) };
    for (const link of links.slice(0, 5)) routes[link] = boatPage(`Ketch ${link}`);
    const { url } = await site(routes);
    const id = await newScraper(url, { auto_publish: true });
    const run = await runToItsEnd(admin, id);
    // A crawl that a busy machine had to begin again has counted some of its pages twice.
    const reason = expect.stringMatching(/^\d+ of its \d+ pages are gone or could not be read\.$/);
    expect(run).toMatchObject({ status: 'failed', quarantine: { reasons: [reason], accepted_at: null } });
    expect(run.failed).toBeGreaterThanOrEqual(15);
    expect(run.errors[0].message).toContain(`In quarantine: ${run.quarantine.reasons[0]}`);
    expect(await eventsOf(run.id)).toEqual(['run.failed']);
    await until(
      () => listingsOf(id),
      (made) => made.length === 5,
    );
    expect((await admin.post(`/api/admin/scrapers/${id}/runs/${run.id}/accept`)).body.status).toBe('succeeded');
    const next = await runToItsEnd(admin, id);
    expect(next, JSON.stringify(next)).toMatchObject({ status: 'succeeded', created: 0 });
    expect(await listingsOf(id)).toHaveLength(5);
  });

  test('cancelled: it stops within seconds, keeps its counts, and tells it once', async () => {
    const links = Array.from({ length: 400 }, (_, i) => `/boats/b${i}`);
    const routes: Record<string, Route> = { '/boats': listPage(links) };
    for (const link of links) routes[link] = boatPage(`Boat ${link}`);
    const { url, hits } = await site(routes);
    const id = await newScraper(url, { requests_per_minute: 600 });
    const { body: started } = await admin.post(`/api/admin/scrapers/${id}/runs`);
    await until(
      () => runOf(id),
      (run) => run.created > 0,
    );
    const { body: cancelled } = await admin.post(`/api/admin/scrapers/${id}/runs/${started.id}/cancel`);
    expect(cancelled.status).toBe('cancelled');
    await until(
      async () => (await admin.get(`/api/admin/jobs/${started.job_id}`)).body,
      (job) => job.state === 'completed',
    );
    const asked = hits.size;
    expect(asked).toBeLessThan(200);
    const { body } = await admin.get(`/api/admin/scrapers/${id}/runs`);
    expect(body.results[0].created).toBeGreaterThan(0);
    expect(body.results[0].status).toBe('cancelled');
    expect(await eventsOf(started.id)).toEqual(['run.cancelled']);
    expect(hits.size).toBe(asked);
  });

  test('a process that drains hands the run on, and the next one goes on where it was, by the same settings', async () => {
    const links = Array.from({ length: 30 }, (_, i) => `/boats/b${i}`);
    const routes: Record<string, Route> = { '/boats': listPage(links) };
    for (const link of links) routes[link] = boatPage(`Ship ${link}`);
    const { url, hits } = await site(routes);
    const id = await newScraper(url, { requests_per_minute: 600 });
    const draining = new AbortController();
    const runId = await queueWithoutWorker(id);
    // This one, from its page to the database, has a process of its own, as every crawl of the product.
    const working = runScraper(
      { ...fleet.services, crawl: crawlInProcess },
      { run_id: runId, scraper_id: id },
      { signal: draining.signal, log: fleet.services.log, jobId: await activeJob(runId), attempt: 0 },
    );
    await until(
      () => runOf(id),
      (run) => run.pages_fetched > 5,
    );
    await admin.patch(`/api/admin/scrapers/${id}`, { link_pattern: '/nothing', max_pages: 1 });
    draining.abort(new Error('the process is stopping'));
    expect(await working).toMatchObject({ outcome: 'handed on' });
    expect(hits.size).toBeLessThan(links.length);
    const run = await until(
      () => runOf(id),
      (each) => each.status === 'succeeded',
    );
    expect(run).toMatchObject({ pages_fetched: 31, records_found: 30, created: 30, failed: 0 });
    expect(Math.max(...hits.values())).toBeLessThanOrEqual(2);
    expect(await eventsOf(run.id)).toEqual(['run.completed']);
  });

  test('a run whose job was lost is ended, and the scraper can run again', async () => {
    const { url } = await site(fleetOfBoats);
    const id = await newScraper(url);
    const runId = await queueWithoutWorker(id);
    await app.database.pool.query(
      `update runs set status = 'running', updated_at = now() - interval '5 minutes' where id = $1`,
      [runId],
    );
    expect(await endLostCrawls(fleet.services)).toBe(1);
    expect(await runOf(id)).toMatchObject({
      id: runId,
      status: 'failed',
      errors: [{ message: 'The process that worked on it was lost.' }],
    });
    expect((await runToItsEnd(admin, id)).status).toBe('succeeded');
  });

  /** A run as if another process had its job: queued, and no job of this process's queue. */
  async function queueWithoutWorker(scraperId: string): Promise<string> {
    const id = `run_${'0'.repeat(16)}${Math.random()
      .toString(36)
      .slice(2, 12)
      .toUpperCase()
      .replaceAll(/[ILOU]/g, 'X')
      .padEnd(10, '0')}`;
    await app.database.pool.query(
      `insert into runs (id, kind, subject, trigger, started_by, created_at, updated_at) values ($1, 'scraper', $2, 'manual', $3, now(), now())`,
      [id, scraperId, user.id],
    );
    return id;
  }

  /** A job that some process works on. */
  async function activeJob(runId: string): Promise<string> {
    const { rows } = await app.database.pool.query<{ id: string }>(
      `insert into pgboss.job (name, data, state, started_on) values ('run-scraper', $1, 'active', now()) returning id`,
      [JSON.stringify({ run_id: runId, scraper_id: 'none' })],
    );
    return rows[0]!.id;
  }
});

describe('schedules', () => {
  const context = (jobId: string) => ({
    signal: new AbortController().signal,
    log: fleet.services.log,
    jobId,
    attempt: 0,
  });

  test('a job of the schedule opens its own run, once however often it is tried', async () => {
    const { url } = await site(fleetOfBoats);
    const id = await newScraper(url, { schedule: '0 4 * * *' });
    const job = { scraper_id: id };
    const jobId = '00000000-0000-4000-8000-000000000001';
    expect(await runScraper(fleet.services, job, context(jobId))).toMatchObject({ outcome: 'finished' });
    const run = await until(
      () => runOf(id),
      (each) => each.status === 'succeeded',
    );
    expect(run).toMatchObject({ trigger: 'schedule', created: 3 });
    expect(await runScraper(fleet.services, job, context(jobId))).toMatchObject({ outcome: 'stopped' });
    expect((await admin.get(`/api/admin/scrapers/${id}/runs`)).body.pagination.total).toBe(1);
  });

  test('it opens none while another run is live, nor for a scraper that is disabled', async () => {
    const slow = await site({ '/robots.txt': 'User-agent: *\nCrawl-delay: 30', ...fleetOfBoats });
    const id = await newScraper(slow.url);
    const { body: live } = await admin.post(`/api/admin/scrapers/${id}/runs`);
    expect(
      await runScraper(fleet.services, { scraper_id: id }, context('00000000-0000-4000-8000-000000000002')),
    ).toMatchObject({ skipped: expect.any(String) });
    await admin.post(`/api/admin/scrapers/${id}/runs/${live.id}/cancel`);
    await admin.patch(`/api/admin/scrapers/${id}`, { enabled: false });
    expect(
      await runScraper(fleet.services, { scraper_id: id }, context('00000000-0000-4000-8000-000000000003')),
    ).toMatchObject({ skipped: expect.any(String) });
    expect((await admin.get(`/api/admin/scrapers/${id}/runs`)).body.pagination.total).toBe(1);
  });
});

test('real product pages: no page crashes the run, and each is counted', async () => {
  const folder = dataFile('html-product-pages/html');
  if (!folder) return;
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.html.gz'))
    .map((name) => basename(name, '.html.gz'));
  const routes: Record<string, Route> = { '/boats': listPage(names.map((name) => `/boats/${name}`)) };
  for (const name of names) {
    routes[`/boats/${name}`] = {
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: gunzipSync(readFileSync(join(folder, `${name}.html.gz`))),
    };
  }
  const { url } = await site(routes);
  const id = await newScraper(url, { link_pattern: '/boats/[0-9a-f]{64}$' });
  const run = await runToItsEnd(admin, id);
  expect(run).toMatchObject({ status: 'succeeded', pages_fetched: names.length + 1 });
  expect(run.created + run.updated + run.unchanged + run.skipped + run.failed).toBe(run.records_found);
  expect(run.created).toBeGreaterThan(names.length * 0.8);
  console.log(
    `html-product-pages: ${run.pages_fetched} pages, ${run.records_found} records, ${run.created} created, ${run.skipped} skipped, ${run.failed} failed`,
  );
});
