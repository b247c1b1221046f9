import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { noteFailedPages, noteGonePages, recordRefreshes } from '../../../shared/refresh/settle.ts';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody } from '../../support/listing-bodies.ts';

const DAY_MS = 86_400_000;
let app: TestApp;
let admin: TestUser;
let current: Date;
beforeAll(async () => {
  current = new Date('2026-03-01T00:00:00Z');
  app = await startApp({ clock: { now: () => current } });
  admin = await app.createUser({ role: 'admin' });
});
afterAll(() => app.close());

const daysAgo = (days: number) => new Date(current.getTime() - days * DAY_MS).toISOString();
const dueRecord = (fields: Json = {}) => ingestBody({ scraped_at: daysAgo(20), ...fields });
async function ingest(user: TestUser, records: Json[]): Promise<string[]> {
  const { body } = await app.as(user).post('/api/ingest', { records });
  return records.map(({ url }) => body.ids[url]);
}
const next = async (user: TestUser, limit = 100): Promise<Json[]> =>
  (await app.as(user).get(`/api/ingest/refresh/next?limit=${limit}`)).body.results;
const idsOf = (pages: Json[]) => pages.map(({ listing_id: id }): string => id);
const rowOf = async (id: string) =>
  (
    await app.database.pool.query(
      `select l.status, l.expires_at, s.misses, s.due_at, s.withdrawn_from, s.last_error, s.leased_until
       from listings l join listing_sources s on s.listing_id = l.id where l.id = $1`,
      [id],
    )
  ).rows[0];
const missed = (id: string) =>
  inTransaction(app.services.db, (tx) => noteGonePages(tx, app.services, [id], current, current));

test('parallel agents never get the same page, and a lease that nobody settles lapses', async () => {
  const scout = await app.createUser();
  const ids = await ingest(
    scout,
    Array.from({ length: 30 }, () => dueRecord()),
  );
  const takes = await Promise.all(Array.from({ length: 6 }, () => next(scout, 5)));
  expect(idsOf(takes.flat()).toSorted()).toEqual(ids.toSorted());
  expect(takes[0]![0]).toEqual({
    listing_id: expect.any(String),
    url: expect.stringContaining('https://'),
    site: expect.any(String),
    last_scraped_at: daysAgo(20),
    due_at: daysAgo(19),
    misses: 0,
  });
  expect(await next(scout)).toEqual([]);
  current = new Date(current.getTime() + 10 * 60_000);
  expect(idsOf(await next(scout)).toSorted()).toEqual(ids.toSorted());
});

test('a page that was sent in again is due later, and nobody gets pages that their own records would not update', async () => {
  const [one, two] = [await app.createUser(), await app.createUser()];
  const record = dueRecord();
  const [id] = await ingest(one, [record]);
  expect(await next(two)).toEqual([]);
  expect(idsOf(await next(admin))).not.toContain(id);
  const [ours] = await ingest(admin, [record]);
  expect(idsOf(await next(await app.createUser({ role: 'admin' })))).toContain(ours);
  expect(idsOf(await next(one))).toEqual([id]);
  await ingest(one, [{ ...record, scraped_at: daysAgo(0) }]);
  current = new Date(current.getTime() + DAY_MS);
  expect(await next(one)).toEqual([]);
  current = new Date(current.getTime() + 2 * DAY_MS);
  expect(idsOf(await next(one))).toEqual([id]);
});

test('sold and deleted listings are never due', async () => {
  const seller = await app.createUser();
  const [sold, deleted] = await ingest(seller, [dueRecord(), dueRecord()]);
  await app.database.pool.query(`update listings set status = 'sold' where id = $1`, [sold]);
  await app.database.pool.query(`update listings set status = 'deleted' where id = $1`, [deleted]);
  expect(await next(seller)).toEqual([]);
  expect((await app.as(seller).get('/api/ingest/refresh/stats')).body).toMatchObject({ total: 0, due: 0 });
});

test('a page gone once is due again at once; gone twice its listing expires now, and comes back with the page', async () => {
  const seller = await app.createUser();
  const record = dueRecord();
  const [id = ''] = await ingest(seller, [record]);
  await app.as(seller).post(`/api/listings/${id}/publish`);
  expect(await missed(id)).toEqual([]);
  expect(await rowOf(id)).toMatchObject({ status: 'active', misses: 1, due_at: current });
  const [page] = await next(seller);
  expect(page).toMatchObject({ listing_id: id, misses: 1 });
  current = new Date(current.getTime() + 60_000);
  expect(await missed(id)).toEqual([id]);
  expect(await rowOf(id)).toMatchObject({ status: 'expired', expires_at: current, withdrawn_from: 'active' });
  const { rows } = await app.database.pool.query(
    `select type, previous from events where subject = $1 order by seq desc limit 1`,
    [id],
  );
  expect(rows).toEqual([{ type: 'listing.expired', previous: { status: 'active' } }]);
  const { body } = await app.as(seller).post('/api/ingest', { records: [record] });
  expect(body).toMatchObject({ updated: 1 });
  expect(await rowOf(id)).toMatchObject({ status: 'active', misses: 0, withdrawn_from: null });
});

test('the second of two looks that were under way at the same time is no second miss', async () => {
  const seller = await app.createUser();
  const [id = ''] = await ingest(seller, [dueRecord()]);
  await app.as(seller).post(`/api/listings/${id}/publish`);
  const since = new Date(current.getTime() - 5_000);
  const look = () =>
    inTransaction(app.services.db, (tx) => noteGonePages(tx, app.services, [id], app.services.clock.now(), since));
  await Promise.all([look(), look()]);
  expect(await rowOf(id)).toMatchObject({ status: 'active', misses: 1 });
});

test('a failure is evidence of nothing: the page is due again after hours', async () => {
  const seller = await app.createUser();
  const [id = ''] = await ingest(seller, [dueRecord()]);
  await next(seller);
  await inTransaction(app.services.db, (tx) =>
    noteFailedPages(tx, [{ listing_id: id, message: 'The page answered 500.' }], current),
  );
  expect(await rowOf(id)).toMatchObject({ misses: 0, leased_until: null, last_error: 'The page answered 500.' });
  expect(await next(seller)).toEqual([]);
});

test('process queues what is due and leases it, and the figures tell', async () => {
  const seller = await app.createUser();
  const site = 'figures.example.com';
  const ids = await ingest(seller, [
    dueRecord({ site }),
    dueRecord({ site }),
    ingestBody({ site, scraped_at: daysAgo(0) }),
  ]);
  const { status, body } = await app.as(seller).post('/api/ingest/refresh/process', { limit: 1 });
  expect({ status, body }).toEqual({ status: 202, body: { queued: 1 } });
  const { rows } = await app.database.pool.query(
    `select data from pgboss.job where name = 'refresh-listing' and data->'listing_ids' ?| $1`,
    [ids],
  );
  expect(rows).toHaveLength(1);
  await inTransaction(app.services.db, (tx) =>
    recordRefreshes(
      tx,
      [
        { listing_id: ids[0]!, outcome: 'changed' },
        { listing_id: ids[1]!, outcome: 'gone' },
      ],
      current,
    ),
  );
  const figures = {
    total: 3,
    due: 1,
    leased: 1,
    overdue: 1,
    refreshed_24h: 2,
    changed_24h: 1,
    gone_24h: 1,
    failed_24h: 0,
  };
  const { body: stats } = await app.as(seller).get('/api/ingest/refresh/stats');
  expect(stats).toEqual({ ...figures, by_site: [{ site, ...figures }] });
  expect((await app.as(seller).post('/api/ingest/refresh/process', { limit: 501 })).status).toBe(400);
  expect((await app.as().get('/api/ingest/refresh/next')).status).toBe(401);
});
