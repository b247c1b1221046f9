import { afterAll, beforeAll, expect, test } from 'vitest';
import { countDuration, percentileOf } from '../../../shared/tracking/search-trouble.ts';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from '../listings/search-fixture.ts';

const browser = { 'User-Agent': 'Mozilla/5.0 Firefox/140.0' };
const DAY_MS = 86_400_000;

let app: TestApp;
let admin: TestUser;
const today = new Date('2026-03-10T12:00:00.000Z');
let now = today;
beforeAll(async () => {
  app = await startApp({ clock: { now: () => now } });
  admin = await app.createUser({ role: 'admin' });
  await storeListings(app, await app.createUser(), [{ title: 'Najad 390 with teak deck', description: '' }]);
});
afterAll(() => app.close());

const search = async (q: string, rest = '') => {
  const { status } = await app.as().get(`/api/listings?q=${encodeURIComponent(q)}${rest}`, { headers: browser });
  expect(status).toBe(200);
};
const searches = async (days = 30) => {
  const token = await app.services.tokens.sign({ id: admin.id, role: 'admin', session_epoch: 0 });
  const { status, body } = await app.as(token).get(`/api/admin/analytics?days=${days}`);
  expect(status).toBe(200);
  return body.searches;
};

test('a search that finds nothing is told as it was typed, with how often and when; one that finds something is not', async () => {
  await search('Xylophone');
  now = new Date(today.getTime() + 60_000);
  await search('  XYLOPHONE ');
  await search('xylophone', '&country=DE');
  await search('qwertz');
  await search('najad');
  await search('najda');
  await search('najad xylophone');
  expect((await searches()).zeroHits).toEqual([
    { query: 'xylophone', count: 3, lastSeenAt: now.toISOString() },
    { query: 'qwertz', count: 1, lastSeenAt: now.toISOString() },
  ]);
  now = new Date(today.getTime() + 5 * DAY_MS);
  expect((await searches(5)).zeroHits).toEqual([]);
  expect((await searches(6)).zeroHits).toHaveLength(2);
});

test.each(['somebody@example.com', 'call +49 170 1234567', 'https://example.com/xylophone'])(
  '%s is not kept',
  async (q) => {
    await search(q);
    const { zeroHits } = await searches();
    expect(JSON.stringify(zeroHits)).not.toMatch(/somebody|1234567|example/);
    const { rows } = await app.database.pool.query('select query, typed from search_queries');
    expect(JSON.stringify(rows)).not.toMatch(/somebody|1234567|example/);
  },
);

test('slow searches come by how long they usually take; answers from the cache do not count as quick ones', async () => {
  const note = (q: string, network: number, ms: number | undefined) =>
    app.services.searchTerms.record({ q, results: 1, hasFailed: false, ms }, `198.51.100.${network}`, '');
  for (let network = 0; network < 40; network += 1) note('Boat engine', network, network === 0 ? 900 : 20);
  for (let network = 0; network < 3; network += 1) note('Old boat', network, 150);
  await app.services.searchTerms.flush();
  for (let network = 10; network < 60; network += 1) note('old boat', network, undefined);
  note('new boat', 1, 99);
  const slowest = (await searches()).slowest.filter(({ query }: Json) => query.includes('oat'));
  expect(slowest).toMatchObject([
    { query: 'old boat', count: 53, slowestMs: 150, p95Ms: 150 },
    { query: 'Boat engine', count: 40, slowestMs: 900, p95Ms: 23 },
  ]);
});

test('durations are counted in classes that are never below what they hold by more than half', () => {
  for (const ms of [0, 0.4, 1, 1.2, 5, 31, 100, 4_999, 31_000]) {
    const told = percentileOf(countDuration(ms), 0.95);
    expect(told, String(ms)).toBeGreaterThanOrEqual(Math.floor(ms));
    expect(told, String(ms)).toBeLessThanOrEqual(Math.max(1, Math.ceil(ms * 1.5)));
  }
  expect(percentileOf([], 0.95)).toBe(1);
  expect(percentileOf([10, 0, 0, 0, 90], 0.05)).toBe(1);
});
