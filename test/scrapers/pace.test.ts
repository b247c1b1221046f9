import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startApp, type Client, type Json, type TestApp } from '../support/app.ts';
import type { Route } from '../support/site-server.ts';
import { boatPage, listPage } from './crawl-support.ts';
import { startWatchedSite, tooFast, type Arrival, type WatchedSite } from './pace-support.ts';
import { startFleet, until, type Fleet } from './run-support.ts';

// Every run starts a process of its own, and its pace is kept in real time.
vi.setConfig({ testTimeout: 120_000 });

let app: TestApp;
let fleet: Fleet;
let admin: Client;
const sites: WatchedSite[] = [];

beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1', LOG_LEVEL: 'silent' } });
  admin = app.as(await app.createUser({ role: 'admin' }));
  fleet = await startFleet(app);
});
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});
afterAll(async () => {
  await fleet.stop();
  await app.close();
});

async function boats(n: number, more: Record<string, Route> = {}): Promise<WatchedSite> {
  const links = Array.from({ length: n }, (_, i) => `/boats/b${i}`);
  const pages = Object.fromEntries(links.map((link) => [link, boatPage(`Boat ${link}`)]));
  const site = await startWatchedSite({ '/robots.txt': '', '/boats': listPage(links), ...pages, ...more });
  sites.push(site);
  return site;
}

async function startRun({ url }: WatchedSite, fields: Json): Promise<Json> {
  const scraper = { name: 'Boats', start_urls: [`${url}/boats`], link_pattern: '/boats/b\\d+$', ...fields };
  const { body } = await admin.post('/api/admin/scrapers', scraper);
  const reply = await admin.post(`/api/admin/scrapers/${body.id}/runs`);
  expect(reply.status).toBe(202);
  return { ...reply.body, scraper_id: body.id };
}

async function cancel(run: Json): Promise<void> {
  await admin.post(`/api/admin/scrapers/${run.scraper_id}/runs/${run.id}/cancel`);
  await until(
    async () => (await admin.get(`/api/admin/jobs/${run.job_id}`)).body,
    (job) => job.state === 'completed',
  );
}

/** Runs a scraper until so many requests have come, cancels it, and answers them. */
async function firstArrivals(site: WatchedSite, fields: Json, n: number): Promise<Arrival[]> {
  const run = await startRun(site, fields);
  await until(
    async () => site.arrivals.length,
    (arrived) => arrived >= n,
  );
  await cancel(run);
  return site.arrivals;
}

describe('a scraper of the API, at the site it crawls', () => {
  test('12 requests a minute are five seconds apart, 60 one second, and a Crawl-delay of four seconds is kept at 30', async () => {
    const [slow, usual, delayed] = await Promise.all([
      firstArrivals(await boats(30), { requests_per_minute: 12 }, 4),
      firstArrivals(await boats(30), { requests_per_minute: 60 }, 8),
      firstArrivals(
        await boats(30, { '/robots.txt': 'User-agent: *\nCrawl-delay: 4' }),
        { requests_per_minute: 30 },
        5,
      ),
    ]);
    expect(tooFast(slow, () => 5_000)).toEqual([]);
    expect(tooFast(usual, () => 1_000)).toEqual([]);
    expect(tooFast(delayed, () => 4_000)).toEqual([]);
  });

  test('600 requests a minute are no more than ten a second', async () => {
    const arrivals = await firstArrivals(await boats(60), { requests_per_minute: 600 }, 40);
    expect(tooFast(arrivals, () => 100)).toEqual([]);
  });

  test('two scrapers and a refresh of one host share its pace, each keeping its own distance to all the others', async () => {
    const links = (name: string) => Array.from({ length: 20 }, (_, i) => `/${name}/b${i}`);
    const pages = ['one', 'two', 'agent'].flatMap((name) =>
      links(name).map((link): [string, Route] => [link, boatPage(`Boat ${link}`)]),
    );
    const site = await boats(0, {
      '/one': listPage(links('one')),
      '/two': listPage(links('two')),
      ...Object.fromEntries(pages),
    });
    const seller = app.as(await app.createUser());
    const records = links('agent').map((path) => ({
      url: site.url + path,
      title: `Boat ${path}`,
      description: 'What an agent has read on this page, in more words than the page itself has.',
      price: { amount: 10_000, currency: 'EUR' },
      scraped_at: new Date(Date.now() - 20 * 86_400_000).toISOString(),
    }));
    const { body } = await seller.post('/api/ingest', { records });
    await seller.post('/api/ingest/publish-bulk', { ids: Object.values(body.ids) });
    const fields = (name: string) => ({
      start_urls: [`${site.url}/${name}`],
      link_pattern: `/${name}/b\\d+$`,
      requests_per_minute: 40,
    });
    const runs = await Promise.all([startRun(site, fields('one')), startRun(site, fields('two'))]);
    expect((await seller.post('/api/ingest/refresh/process', {})).body).toEqual({ queued: 20 });
    const from = (name: string) => site.arrivals.filter(({ path }) => path.startsWith(`/${name}/`)).length;
    await until(
      async () => [from('one'), from('two'), from('agent')],
      (arrived) => Math.min(...arrived) >= 2,
    );
    await Promise.all(runs.map(cancel));
    // The refresh asks once a second by itself; between it and a scraper the scraper's distance holds.
    const isOfScraper = ({ path }: Arrival) => /^\/(?:one|two)/.test(path);
    const interval = (before: Arrival, after: Arrival) => (isOfScraper(before) || isOfScraper(after) ? 1_500 : 1_000);
    expect(tooFast(site.arrivals, interval)).toEqual([]);
  });

  test('one that waits for its next request is cancelled within fifteen seconds, and asks for nothing more', async () => {
    const site = await boats(30, { '/robots.txt': 'User-agent: *\nCrawl-delay: 120' });
    const run = await startRun(site, { requests_per_minute: 12 });
    await until(
      async () => (await admin.get(`/api/admin/scrapers/${run.scraper_id}/runs`)).body.results[0],
      ({ status }) => status === 'running' && site.arrivals.length > 0,
    );
    const askedAt = performance.now();
    await cancel(run);
    expect(performance.now() - askedAt).toBeLessThan(15_000);
    expect(site.arrivals.map(({ path }) => path)).toEqual(['/robots.txt']);
  });

  test('a site that asks to be left alone is, also by the pages whose slot was reserved before', async () => {
    let refusedAt = 0;
    const site = await boats(40, {
      '/boats/b5': (_, response) => {
        refusedAt ||= performance.now();
        response.writeHead(429, { 'retry-after': '6' }).end();
      },
    });
    // Its eight pages at once hold the slots of four seconds.
    const run = await startRun(site, { requests_per_minute: 120 });
    const since = (milliseconds: number) =>
      site.arrivals.filter(({ at }) => refusedAt > 0 && at > refusedAt + milliseconds);
    await until(
      async () => since(5_000).length,
      (arrived) => arrived > 0,
    );
    await cancel(run);
    // What was on its way already arrives; then there is silence.
    expect(since(1_500)[0]!.at - refusedAt).toBeGreaterThan(5_000);
  });
});
