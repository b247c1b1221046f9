import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type Json, type TestApp } from '../../support/app.ts';
import { boatPage, listPage } from '../crawl/support.ts';
import { startWatchedSite, tooFast, type Answers, type Arrival, type WatchedSite } from './support.ts';
import { startFleet, until, type Fleet } from '../run-support.ts';

let app: TestApp;
let admin: Client;
let fleet: Fleet;

beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1', LOG_LEVEL: 'silent' } });
  admin = app.as(await app.createUser({ role: 'admin' }));
  fleet = await startFleet(app);
});
afterAll(async () => {
  await fleet.stop();
  await app.close();
});

const links = (folder: string, n: number) => Array.from({ length: n }, (_, i) => `/${folder}/b${i}`);
const pagesOf = (paths: string[]): Answers =>
  Object.fromEntries(paths.map((path) => [path, { body: boatPage(`Boat ${path}`) }]));

/** A site with a list of boats, and what is different about it. */
function startBoats(n: number, more: Answers = {}): Promise<WatchedSite> {
  const paths = links('boats', n);
  return startWatchedSite({ '/robots.txt': {}, '/boats': { body: listPage(paths) }, ...pagesOf(paths), ...more });
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
  await until(site.arrivals, (arrivals) => arrivals.length >= n);
  await cancel(run);
  return site.arrivals();
}

describe('a scraper of the API, at the site it crawls', () => {
  test('12 requests a minute are five seconds apart, 60 one second, and a Crawl-delay of four seconds is kept at 30', async () => {
    const crawlDelay = { '/robots.txt': { body: 'User-agent: *\nCrawl-delay: 4' } };
    const [slow, usual, delayed] = await Promise.all([
      firstArrivals(await startBoats(30), { requests_per_minute: 12 }, 4),
      firstArrivals(await startBoats(30), { requests_per_minute: 60 }, 8),
      firstArrivals(await startBoats(30, crawlDelay), { requests_per_minute: 30 }, 5),
    ]);
    expect(tooFast(slow, () => 5_000)).toEqual([]);
    expect(tooFast(usual, () => 1_000)).toEqual([]);
    expect(tooFast(delayed, () => 4_000)).toEqual([]);
  });

  test('600 requests a minute are no more than ten a second', async () => {
    const arrivals = await firstArrivals(await startBoats(60), { requests_per_minute: 600 }, 40);
    expect(tooFast(arrivals, () => 100)).toEqual([]);
  });

  test('two scrapers and a refresh of one host share its pace, each keeping its own distance to all the others', async () => {
    const [one, two, agent] = [links('one', 20), links('two', 20), links('agent', 20)];
    const site = await startBoats(0, {
      ...{ '/one': { body: listPage(one) }, '/two': { body: listPage(two) } },
      ...pagesOf([...one, ...two, ...agent]),
    });
    const seller = app.as(await app.createUser());
    const records = agent.map((path) => ({
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
    const arrivals = await until(site.arrivals, (all) =>
      ['/one/', '/two/', '/agent/'].every((name) => all.filter(({ path }) => path.startsWith(name)).length >= 2),
    );
    await Promise.all(runs.map(cancel));
    // The refresh asks once a second by itself; between it and a scraper the scraper's distance holds.
    const isOfScraper = ({ path }: Arrival) => /^\/(?:one|two)/.test(path);
    const interval = (before: Arrival, after: Arrival) => (isOfScraper(before) || isOfScraper(after) ? 1_500 : 1_000);
    expect(tooFast(arrivals, interval)).toEqual([]);
  });

  test('one that waits for its next request is cancelled without waiting for it, and asks for nothing more', async () => {
    const site = await startBoats(30, { '/robots.txt': { body: 'User-agent: *\nCrawl-delay: 120' } });
    const run = await startRun(site, { requests_per_minute: 12 });
    await until(site.arrivals, (arrivals) => arrivals.length > 0);
    await cancel(run);
    expect((await site.arrivals()).map(({ path }) => path)).toEqual(['/robots.txt']);
  });

  test('a site that asks to be left alone is, also by the pages whose slot was reserved before', async () => {
    const site = await startBoats(40, { '/boats/b5': { status: 429, headers: { 'retry-after': '9' } } });
    // Its eight pages at once hold the slots of four seconds.
    const run = await startRun(site, { requests_per_minute: 120 });
    const sinceRefusal = async (milliseconds: number) => {
      const arrivals = await site.arrivals();
      const refused = arrivals.find(({ path }) => path === '/boats/b5');
      return arrivals.flatMap(({ at }) => (refused && at > refused.at + milliseconds ? [at - refused.at] : []));
    };
    await until(
      () => sinceRefusal(7_500),
      (arrived) => arrived.length > 0,
    );
    await cancel(run);
    // What was on its way already arrives; then there is silence.
    expect((await sinceRefusal(2_000))[0]).toBeGreaterThan(7_500);
  });
});
