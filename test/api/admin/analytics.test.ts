import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../../shared/kit/clock.ts';
import { purgeOldRows } from '../../../workers/purge-old-rows.ts';
import { settleAnalytics } from '../../../workers/settle-analytics.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

const browser = { 'User-Agent': 'Mozilla/5.0 Firefox/140.0' };
const context = { signal: new AbortController().signal, log: undefined as never, jobId: 'none', attempt: 0 };
const today = new Date('2026-03-10T12:00:00Z');

let app: TestApp;
let workers: TestWorkers;
let admin: TestUser;
let now = today;
beforeAll(async () => {
  app = await startApp({ clock: { now: () => now } });
  workers = await startWorkers(app);
  await at(-80, async () => {
    admin = await app.createUser({ role: 'admin' });
  });
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

/** Does something so many days from today. */
async function at(days: number, act: () => Promise<unknown>) {
  now = new Date(today.getTime() + days * DAY_MS);
  await act();
  await Promise.all([app.services.tracker.flush(), app.services.views.flush(), app.services.searchTerms.flush()]);
  now = today;
}
const track = (body: unknown) => app.as().post('/api/track', body, { headers: browser });
const admins = async (path: string) => {
  const token = await app.services.tokens.sign({ id: admin.id, role: 'admin', session_epoch: 0 });
  return app.as(token).get(path);
};
const analytics = async (days: number) => (await admins(`/api/admin/analytics?days=${days}`)).body;
const settle = () => settleAnalytics(workers.services, {}, context);
const publish = async (seller: TestUser) => {
  const token = await app.services.tokens.sign({ id: seller.id, role: 'user', session_epoch: 0 });
  const { body } = await app.as(token).post('/api/listings', listingBody());
  await app.as(token).post(`/api/listings/${body.id}/publish`);
  return { id: body.id as string, token };
};

test('every day of the range is told, oldest first, also when nothing has happened', async () => {
  const empty = await analytics(3);
  const byDay = ['2026-03-08', '2026-03-09', '2026-03-10'].map((date) => ({ date, count: 0 }));
  expect(empty).toEqual({
    range: { days: 3, from: '2026-03-08', to: '2026-03-10' },
    pageViews: { total: 0, byDay, topPaths: [] },
    signups: { total: 0, byDay },
    listingsCreated: { total: 0, byDay },
    searches: { total: 0, topQueries: [], zeroHits: [], slowest: [] },
    listingViews: { total: 0, topListings: [] },
    generatedAt: today.toISOString(),
  });
  expect((await admins('/api/admin/analytics')).body.pageViews.byDay).toHaveLength(30);
  expect((await analytics(365)).pageViews.byDay).toHaveLength(365);
});

test.each(['0', '366', '1.5', 'all', ''])('400 for %j days', async (days) => {
  expect((await admins(`/api/admin/analytics?days=${days}`)).status).toBe(400);
});

test('403 for whoever is no admin, 401 without a session', async () => {
  const user = await app.createUser();
  expect((await app.as(user).get('/api/admin/analytics')).status).toBe(403);
  expect((await app.as().get('/api/admin/analytics')).status).toBe(401);
  await app.database.pool.query('delete from users where id = $1', [user.id]);
});

test('what happened is counted on its day, once, from what knows best; settling a day changes no figure', async () => {
  let seller: TestUser | undefined;
  let listing = { id: '', token: '' };
  await at(-1, async () => {
    seller = await app.createUser();
    listing = await publish(seller);
    // Tracked by the front end, too: none of it counts twice.
    await track({ event: 'signup', user_id: seller.id });
    await track({ event: 'listing_created', listing_id: listing.id });
    await app.as().get('/api/listings?q=folkboat', { headers: browser });
    for (let n = 0; n < 3; n += 1) await track({ event: 'search', query: 'Folkboat', results_count: 0 });
    await app.as().get(`/api/listings/${listing.id}`, { headers: browser });
    await track({ event: 'listing_view', listing_id: listing.id });
    await app.as().get('/api/listings?q=dinghy', { headers: browser });
    await track({ event: 'search' });
  });
  await at(0, async () => {
    for (const path of ['/a', '/a', '/b']) await track({ event: 'page_view', path });
    await app.as().get(`/api/listings/${listing.id}`, { headers: browser });
    await track({ event: 'listing_view', listing_id: 'elsewhere' });
  });
  await at(-2, () => track({ event: 'page_view', path: '/b' }));

  const expected = {
    pageViews: {
      total: 4,
      byDay: [
        { date: '2026-03-08', count: 1 },
        { date: '2026-03-09', count: 0 },
        { date: '2026-03-10', count: 3 },
      ],
      topPaths: [
        { path: '/a', count: 2 },
        { path: '/b', count: 2 },
      ],
    },
    signups: { total: 1, byDay: [{ count: 0 }, { date: '2026-03-09', count: 1 }, { count: 0 }] },
    listingsCreated: { total: 1, byDay: [{ count: 0 }, { date: '2026-03-09', count: 1 }, { count: 0 }] },
    searches: {
      total: 5,
      topQueries: [
        { query: 'folkboat', count: 3 },
        { query: 'dinghy', count: 1 },
      ],
    },
    listingViews: {
      total: 3,
      topListings: [
        { listing_id: listing.id, count: 2 },
        { listing_id: 'elsewhere', count: 1 },
      ],
    },
  };
  expect(await analytics(3)).toMatchObject(expected);

  await settle();
  const { rows } = await app.database.pool.query(
    `select max(day) as last, count(*)::int as n from analytics_days where key = ''`,
  );
  expect(rows).toEqual([{ last: '2026-03-09', n: 5 * 80 }]);
  expect(await analytics(3)).toMatchObject(expected);
  await settle();
  expect(await analytics(3)).toMatchObject(expected);

  // A settled day outlives its sources.
  await app.as(listing.token).delete(`/api/listings/${listing.id}`);
  await app.database.pool.query('delete from tracked_days where day < $1', ['2026-03-10']);
  expect(await analytics(3)).toMatchObject({ ...expected, listingViews: { total: 3 } });
});

test('the lists name ten, the most frequent first and equals in order', async () => {
  await at(0, async () => {
    for (let n = 12; n > 0; n -= 1) await track({ event: 'page_view', path: `/page-${String(n).padStart(2, '0')}` });
    for (let n = 0; n < 5; n += 1) await track({ event: 'page_view', path: '/often' });
  });
  const { topPaths } = (await analytics(1)).pageViews;
  expect(topPaths).toHaveLength(10);
  expect(topPaths[0]).toEqual({ path: '/often', count: 5 });
  expect(topPaths.slice(1, 4).map(({ path }: { path: string }) => path)).toEqual(['/a', '/b', '/page-01']);
  expect(topPaths.at(-1)).toEqual({ path: '/page-07', count: 1 });
});

test('of a settled day the sum of all is kept, and the 200 most frequent', async () => {
  const day = '2026-01-05';
  await app.database.pool.query(
    `insert into tracked_days (day, event, key, n) select $1::date, 'page_view', '/' || n, n from generate_series(1, 300) as n
     union all select $1::date, 'page_view', '', 50000`,
    [day],
  );
  await app.database.pool.query(`delete from analytics_days where day = $1`, [day]);
  await settle();
  const kept = await app.database.pool.query(
    `select count(*)::int as keys, min(n) filter (where key <> '') as least, max(n) as most
     from analytics_days where day = $1 and event = 'page_view'`,
    [day],
  );
  expect(kept.rows).toEqual([{ keys: 201, least: 101, most: 50_000 }]);
});

test('an hour after midnight the day is settled, not earlier: its last second may still be on its way', async () => {
  const settled = async () =>
    (await app.database.pool.query(`select max(day) as day from analytics_days where key = ''`)).rows[0].day;
  now = new Date('2026-03-11T00:59:00Z');
  await settle();
  expect(await settled()).toBe('2026-03-09');
  now = new Date('2026-03-11T01:00:00Z');
  await settle();
  expect(await settled()).toBe('2026-03-10');
  now = today;
});

test('what is old is purged, figures of the last 400 days are not', async () => {
  const daysAgo = (days: number) => new Date(today.getTime() - days * DAY_MS);
  const { pool } = app.database;
  await pool.query('truncate tracked_events, tracked_days');
  for (const days of [10, 29, 31, 89, 91]) {
    await pool.query(`insert into tracked_events (event, created_at) values ('page_view', $1)`, [daysAgo(days)]);
    await pool.query(`insert into tracked_days values ($1, 'page_view', '', 1)`, [daysAgo(days)]);
  }
  await pool.query(`insert into analytics_days values ($1, 'page_view', '', 1)`, [daysAgo(402)]);
  await purgeOldRows(workers.services, {}, context);
  const count = async (table: string) =>
    (await pool.query(`select count(distinct ${table === 'tracked_events' ? 'id' : 'day'})::int as n from ${table}`))
      .rows[0].n;
  expect(await count('tracked_events')).toBe(4);
  expect(await count('tracked_days')).toBe(2);
  expect(await count('analytics_days')).toBe(81);
});
