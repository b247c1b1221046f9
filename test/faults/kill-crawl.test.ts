import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { boatPage, listPage } from '../scrapers/crawl/support.ts';
import { startApp, type Json } from '../support/app.ts';
import { startProcess } from '../support/processes.ts';
import { startSite, type Route } from '../support/site-server.ts';
import { startWorkers } from '../support/workers.ts';
import { eventually } from '../support/waiting.ts';

/** Ends the process of the crawl that a scrapers process has started. */
function killCrawl(scrapersPid: number | undefined): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    if (readProc(pid, 'cmdline').includes('crawl/child.ts') && parentOf(pid) === scrapersPid)
      process.kill(Number(pid), 'SIGKILL');
}

const parentOf = (pid: string) => Number(readProc(pid, 'stat').split(') ').at(-1)?.split(' ')[1]);

/** Empty for a process that has ended meanwhile. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

async function startFleet(routes: Record<string, Route>, requestsPerMinute: number) {
  const app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  const workers = await startWorkers(app);
  const site = await startSite({ '/robots.txt': 'User-agent: *\nAllow: /', ...routes });
  const admin = app.as(await app.createUser({ role: 'admin' }));
  const { body } = await admin.post('/api/admin/scrapers', {
    name: 'Boats',
    start_urls: [`${site.url}/boats`],
    link_pattern: '/boats/[a-z0-9-]+$',
    requests_per_minute: requestsPerMinute,
  });
  const scrapers = startProcess('scrapers/main.ts', {
    DATABASE_URL: app.database.url,
    DATA_DIR: app.dataDir,
    JWT_SECRET: 'a secret of the tests alone',
    FETCH_ALLOW: '127.0.0.1',
  });
  await admin.post(`/api/admin/scrapers/${body.id}/runs`);
  const run = async () => (await admin.get(`/api/admin/scrapers/${body.id}/runs`)).body.results[0];
  const query = async (text: string) => (await app.database.pool.query<Json>(text)).rows;
  return {
    ...{ scrapers, site, run, query },
    /** Works off what the crawl has found, until its run has ended. */
    async runToItsEnd() {
      await eventually(
        async () => {
          await workers.work('ingest-record');
          return !['queued', 'running'].includes((await run()).status);
        },
        { describe: scrapers.output },
      );
      return run();
    },
    async stop() {
      expect(await scrapers.kill('SIGTERM')).toBe(0);
      await workers.close();
      await site.close();
      await app.close();
    },
  };
}

test('a crawl whose process is killed goes on in another one: no page that was dealt with is asked for again, and none is lost', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `/boats/boat-${index}`);
  const answered = new Map<string, number>();
  let isKilled = false;
  let unanswered = 0;
  const routes: Record<string, Route> = { '/boats': listPage(names) };
  for (const name of names)
    routes[name] = (_, response) => {
      // What is under way when the process dies has no answer.
      if (!isKilled && answered.size >= 15) return void (unanswered += 1);
      answered.set(name, (answered.get(name) ?? 0) + 1);
      response.setHeader('content-type', 'text/html').end(boatPage(`Yacht ${name} for sale`));
    };
  const { scrapers, run, query, runToItsEnd, stop } = await startFleet(routes, 1_200);
  // As many as may be under way: no other one is on its way to the site.
  await eventually(async () => unanswered === 8 && (await run()).pages_fetched === 16, { describe: scrapers.output });
  killCrawl(scrapers.pid);
  isKilled = true;
  const pages = { pages_fetched: names.length + 1, records_found: names.length };
  expect(await runToItsEnd()).toMatchObject({ status: 'succeeded', created: names.length, failed: 0, ...pages });
  expect([...answered.keys()].toSorted()).toEqual(names.toSorted());
  expect([...answered].filter(([, times]) => times !== 1)).toEqual([]);
  expect(await query('select count(*)::int as n from crawl_requests')).toEqual([{ n: 0 }]);
  await stop();
});

test('a page over which every process of a crawl dies fails its run with the reason, and the others are asked for once', async () => {
  const names = ['/boats/one', '/boats/two', '/boats/three'];
  const routes: Record<string, Route> = { '/boats': listPage(names) };
  for (const name of names) routes[name] = boatPage(`Yacht ${name} for sale`);
  // 60 a minute: when it is asked for, the pages before it are stored.
  routes['/boats/three'] = boatPage('Yacht three for sale', '<a href="/boats/poison">similar</a>');
  const { scrapers, site, runToItsEnd, stop } = await startFleet(
    { ...routes, '/boats/poison': () => killCrawl(scrapers.pid) },
    60,
  );
  const run = await runToItsEnd();
  expect(run).toMatchObject({ status: 'failed', pages_fetched: names.length + 1 });
  expect(run.errors[0].message).toBe('The crawl ended unexpectedly (SIGKILL).');
  expect(['/boats', ...names, '/boats/poison'].map((name) => site.hits.get(name))).toEqual([1, 1, 1, 1, 3]);
  await stop();
});
