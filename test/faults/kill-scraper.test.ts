import { expect, test } from 'vitest';
import { boatPage, listPage } from '../scrapers/crawl/support.ts';
import { startApp, type Json } from '../support/app.ts';
import { startProcess } from '../support/processes.ts';
import { missPulses } from '../support/pulses.ts';
import { startSite, type Route } from '../support/site-server.ts';
import { startWorkers } from '../support/workers.ts';
import { eventually } from '../support/waiting.ts';

const BOATS = 40;
const ANSWERED = 12;
const names = Array.from({ length: BOATS }, (_, index) => `boat-${index}`);

test('a scrapers process killed in the middle of a crawl takes its crawl with it; another one ends the run, once, with each page and each listing once', async () => {
  const app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  const workers = await startWorkers(app);
  const routes: Record<string, Route> = {
    '/robots.txt': 'User-agent: *\nAllow: /',
    '/boats': listPage(names.map((name) => `/boats/${name}`)),
  };
  let asked = 0;
  // However long it takes to notice that the crawl is on its way: it is not over before its process is killed.
  const killed = Promise.withResolvers<void>();
  for (const name of names)
    routes[`/boats/${name}`] = async (_, response) => {
      asked += 1;
      if (asked > ANSWERED) await killed.promise;
      response.setHeader('content-type', 'text/html').end(boatPage(`Yacht ${name} for sale`));
    };
  const site = await startSite(routes);
  const query = async (text: string) => (await app.database.pool.query<Json>(text)).rows;
  const admin = app.as(await app.createUser({ role: 'admin' }));
  const scraper = {
    name: 'Boats',
    start_urls: [`${site.url}/boats`],
    link_pattern: '/boats/boat-\\d+$',
    requests_per_minute: 1_200,
  };
  const { body } = await admin.post('/api/admin/scrapers', scraper);
  expect((await admin.post(`/api/admin/scrapers/${body.id}/runs`)).status).toBe(202);
  const run = async () => (await admin.get(`/api/admin/scrapers/${body.id}/runs`)).body.results[0];
  const env = {
    DATABASE_URL: app.database.url,
    DATA_DIR: app.dataDir,
    JWT_SECRET: 'a secret of the tests alone',
    FETCH_ALLOW: '127.0.0.1',
  };

  const first = startProcess('scrapers/main.ts', env);
  await eventually(async () => (await run()).pages_fetched > 5, { describe: first.output });
  await first.kill('SIGKILL');
  const left = await run();
  expect(left.status).toBe('running');
  expect(left.pages_fetched).toBeLessThan(BOATS);
  let before = -1;
  await eventually(
    async () => {
      const isStill = before === asked;
      before = asked;
      return isStill;
    },
    { everyMs: 500 },
  );
  expect(asked).toBeLessThan(BOATS);
  killed.resolve();

  await missPulses(app.database.pool, 'run-scraper');
  const second = startProcess('scrapers/main.ts', env);
  await eventually(
    async () => {
      await workers.work('ingest-record');
      return (await run()).status !== 'running';
    },
    { describe: second.output },
  );
  const pages = { pages_fetched: BOATS + 1 };
  expect(await run()).toMatchObject({ id: left.id, status: 'succeeded', created: BOATS, failed: 0, ...pages });
  expect(await query(`select count(*)::int as n, count(distinct title)::int as titles from listings`)).toEqual([
    { n: BOATS, titles: BOATS },
  ]);
  expect(await query(`select type from events where data->>'kind' = 'scraper'`)).toEqual([{ type: 'run.completed' }]);
  expect(await second.kill('SIGTERM')).toBe(0);
  await workers.close();
  await site.close();
  await app.close();
});
