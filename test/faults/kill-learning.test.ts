import { expect, test } from 'vitest';
import { boatSite } from '../scrapers/learn/boat-site.ts';
import { startApp } from '../support/app.ts';
import { startProcess } from '../support/processes.ts';
import { missPulses } from '../support/pulses.ts';
import { startSite, type Route } from '../support/site-server.ts';
import { eventually } from '../support/waiting.ts';

const ANSWERED = 4;

test('a scrapers process killed while it learns a site is followed by another one, which asks for no page again and proposes the same', async () => {
  const app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  const admin = app.as(await app.createUser({ role: 'admin' }));
  // However long it takes to notice that pages were looked at: the learning is not over before its process is killed.
  const killed = Promise.withResolvers<void>();
  const asked: string[] = [];
  const routes = Object.entries(boatSite()).map(([path, page]): [string, Route] => [
    path,
    async (_, response) => {
      asked.push(path);
      if (asked.length > ANSWERED) await killed.promise;
      response.setHeader('content-type', 'text/html').end(page);
    },
  ]);
  const site = await startSite(Object.fromEntries(routes));
  const { status, body } = await admin.post('/api/admin/scrapers/learn', { url: `${site.url}/for-sale` });
  expect(status).toBe(202);
  const learning = async () => (await admin.get(`/api/admin/learnings/${body.id}`)).body;
  const env = {
    DATABASE_URL: app.database.url,
    DATA_DIR: app.dataDir,
    JWT_SECRET: 'a secret of the tests alone',
    FETCH_ALLOW: '127.0.0.1',
  };

  const first = startProcess('scrapers/main.ts', env);
  await eventually(async () => (await learning()).pages_fetched === ANSWERED && asked.length > ANSWERED, {
    describe: first.output,
  });
  await first.kill('SIGKILL');
  const left = await learning();
  expect(left).toMatchObject({ status: 'running', proposal: null });
  killed.resolve();

  await missPulses(app.database.pool, 'learn-site');
  const second = startProcess('scrapers/main.ts', env);
  await eventually(async () => (await learning()).status !== 'running', { describe: second.output });
  const { pages, proposal, ...ended } = await learning();
  expect(ended).toMatchObject({ status: 'succeeded', error: null, pages_failed: 0, pages_fetched: pages.length });
  expect(pages.slice(0, ANSWERED)).toEqual(left.pages);
  // The page under way was asked for by both; what the first had kept, by nobody again.
  const interrupted = asked[ANSWERED];
  const again = asked.filter((path, index) => asked.indexOf(path) < index);
  expect(again).toEqual([interrupted]);
  const link = new RegExp(proposal.scraper.link_pattern);
  expect([link.test(`${site.url}/boats/4999-yawl.html`), link.test(`${site.url}/about`)]).toEqual([true, false]);
  expect(proposal.pagination.confidence).toBe(1);
  expect(await second.kill('SIGTERM')).toBe(0);
  await site.close();
  await app.close();
});
