import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { areRatesOld } from '../../shared/rates/refresh-rates.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { startSite, type Route, type Site } from '../support/site-server.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

const feed = (date: string, usd: string) => ({
  headers: { 'content-type': 'text/xml' },
  body: `<gesmes:Envelope xmlns:gesmes="urn:g"><Cube><Cube time='${date}'><Cube currency='USD' rate='${usd}'/></Cube></Cube></gesmes:Envelope>`,
});

let app: TestApp;
let site: Site;
let workers: TestWorkers;
let admin: Client;
const routes: Record<string, Route> = {};
beforeAll(async () => {
  site = await startSite(routes);
  app = await startApp();
  admin = app.as(await app.createUser({ role: 'admin' }));
  workers = await startWorkers(app, { env: { ratesUrl: `${site.url}/daily.xml` } });
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await site.close();
});
afterEach(async () => {
  await app.database.pool.query('delete from exchange_rates; delete from exchange_rate_feed');
});

const refresh = async () => {
  await app.database.db.transaction().execute((tx) => app.services.jobs.enqueue(tx, 'refresh-rates', {}));
  const [result] = await workers.work('refresh-rates');
  return result;
};
const stored = async () => (await admin.get('/api/admin/rates')).body;
const problems = async () => {
  const { body } = await admin.get('/api/admin/health-detailed');
  return body.problems.filter((problem: string) => problem.includes('exchange rates'));
};

test('the feed replaces the table in force', async () => {
  routes['/daily.xml'] = feed('2026-11-20', '1.1493');
  expect(await refresh()).toMatchObject({ status: 'completed', output: { date: '2026-11-20', currencies: 1 } });
  expect(await stored()).toMatchObject({ date: '2026-11-20', rates: { USD: 1.1493 }, source: 'feed', set_by: null });
});

test('a feed that says the same again adds nothing', async () => {
  routes['/daily.xml'] = feed('2026-11-20', '1.1493');
  await refresh();
  await refresh();
  expect((await app.database.pool.query('select 1 from exchange_rates')).rowCount).toBe(1);
});

test.each([
  ['answers 500', { status: 500, body: 'out of order' }, 'The feed answered 500.'],
  ['is a page of HTML', '<html>maintenance</html>', 'The feed names no day'],
  ['never ends', { body: ' '.repeat(1_048_577) }, 'more than 1048576 bytes'],
])(
  'a feed that %s leaves the table, is tried again, and is a problem until it is well',
  async (_what, route, reason) => {
    routes['/daily.xml'] = feed('2026-11-20', '1.1493');
    await refresh();
    routes['/daily.xml'] = route;
    expect(await refresh()).toMatchObject({ status: 'failed' });
    expect(await stored()).toMatchObject({ rates: { USD: 1.1493 }, feed: { error: expect.stringContaining(reason) } });
    expect(await problems()).toHaveLength(1);
    const { text } = await admin.get('/metrics');
    expect(text).toMatch(/^quayside_exchange_rates_failing_seconds [1-9\d.e-]/m);

    routes['/daily.xml'] = feed('2026-11-21', '1.15');
    await refresh();
    expect(await stored()).toMatchObject({ date: '2026-11-21', feed: { failing_since: null, error: null } });
    expect(await problems()).toEqual([]);
  },
);

test('a redirect to a private address is not followed', async () => {
  routes['/daily.xml'] = { status: 302, headers: { location: 'http://127.0.0.2:9/daily.xml' } };
  expect(await refresh()).toMatchObject({ status: 'failed' });
});

test('without RATES_URL nothing is fetched', async () => {
  const plain = await startWorkers(app);
  await app.database.db.transaction().execute((tx) => app.services.jobs.enqueue(tx, 'refresh-rates', {}));
  expect(await plain.work('refresh-rates')).toMatchObject([{ output: { skipped: 'RATES_URL is not set' } }]);
  await plain.close();
});

test('a start fetches rates that are of a day before yesterday, and no younger ones', async () => {
  const { pool } = app.database;
  await admin.put('/api/admin/rates', { base: 'EUR', date: '2026-11-20', rates: { USD: 1.1 } });
  expect(await areRatesOld(pool, new Date('2026-11-20T23:00:00Z'))).toBe(false);
  expect(await areRatesOld(pool, new Date('2026-11-21T00:00:01Z'))).toBe(true);
});
