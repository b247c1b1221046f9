import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createViewCounter } from '../../api/counting/views.ts';
import type { Clock } from '../../shared/kit/clock.ts';
import { createLogger } from '../../shared/kit/log.ts';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { storeListings } from './listings/search-fixture.ts';

let app: TestApp;
let seller: TestUser;
let id: string;
let slug: string;
let now = new Date('2026-03-01T12:00:00.000Z');
const clock: Clock = { now: () => now };

beforeAll(async () => {
  app = await startApp({ clock });
  seller = await app.createUser();
});
beforeEach(async () => {
  const [stored] = await storeListings(app, seller, [{}]);
  ({ id, slug } = stored!);
});
afterAll(() => app.close());

const read = (path: string, agent: string, from: TestApp = app, method = 'GET') =>
  from.as().request(method, `/api/listings/${path}`, { headers: { 'User-Agent': agent } });

/** What the owner reads once everything noted is written. */
async function countViews(...processes: TestApp[]): Promise<number> {
  for (const each of [app, ...processes]) await each.services.views.flush();
  return (await app.as(seller).get(`/api/listings/${id}`)).body.views;
}

test('reads by id, by slug, as Markdown and from the cache count alike', async () => {
  await read(id, 'one');
  await read(slug, 'two');
  await read(`${id}.md`, 'three');
  await app.as().get(`/api/listings/${id}`, { headers: { 'User-Agent': 'four', Accept: 'text/markdown' } });
  expect((await read(id, 'five')).headers.get('x-cache')).toBe('HIT');
  expect((await read(`${id}.md`, 'six')).headers.get('x-cache')).toBe('HIT');
  expect(await countViews()).toBe(6);
});

test('asking for the headers alone counts nothing, fresh or from the cache', async () => {
  expect((await read(id, 'head', app, 'HEAD')).headers.get('x-cache')).toBe('MISS');
  await read(id, 'body');
  expect((await read(id, 'another head', app, 'HEAD')).headers.get('x-cache')).toBe('HIT');
  expect(await countViews()).toBe(1);
});

test('crawlers count nothing, fresh or from the cache', async () => {
  const agent = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  await read(id, agent);
  await read(id, agent);
  expect(await countViews()).toBe(0);
});

test('an account is one visitor whatever it reads with, and its owner none', async () => {
  const buyer = await app.createUser();
  for (const agent of ['telephone', 'computer'])
    await app.as(buyer).get(`/api/listings/${id}`, { headers: { 'User-Agent': agent } });
  await app.as(await app.createUser()).get(`/api/listings/${id}`);
  await app.as(seller).get(`/api/listings/${slug}.md`);
  expect(await countViews()).toBe(2);
});

test('lists, refused reads and unknown listings count nothing', async () => {
  const [draft] = await storeListings(app, seller, [{ status: 'draft' }]);
  await app.as().get('/api/listings');
  await read(draft!.id, 'curious');
  await app.services.views.flush();
  const { rows } = await app.database.pool.query('select listing_id from listing_visits where listing_id = any($1)', [
    [id, draft!.id],
  ]);
  expect(rows).toEqual([]);
});

test('a visitor counts once an hour, whichever API process it meets', async () => {
  const twin = await app.twin();
  try {
    await Promise.all([read(id, 'everywhere'), read(id, 'everywhere', twin), read(slug, 'everywhere', twin)]);
    expect(await countViews(twin)).toBe(1);
    await Promise.all([read(id, 'only here'), read(id, 'only there', twin)]);
    await Promise.all([app.services.views.flush(), twin.services.views.flush()]);
    expect(await countViews()).toBe(3);
    now = new Date(now.getTime() + 3_600_000);
    await read(id, 'everywhere', twin);
    expect(await countViews(twin)).toBe(4);
  } finally {
    await twin.close();
  }
});

test('a read writes nothing itself, and what it leaves is written by itself soon', async () => {
  const counted = async () => {
    const { rows } = await app.database.pool.query('select views::int as n from listing_views where listing_id = $1', [
      id,
    ]);
    return (rows[0] as { n: number } | undefined)?.n ?? 0;
  };
  await read(id, 'patient');
  await expect.poll(counted).toBe(1);
});

test('a process that stops writes what is waiting, also when the first try fails', async () => {
  const queries: string[] = [];
  const { pool } = app.database;
  let failures = 1;
  const flaky = {
    query: async (statement: { name: string; text: string; values: unknown[] }) => {
      queries.push(statement.name);
      if (failures-- > 0) throw new Error('the connection is gone');
      return pool.query(statement);
    },
  };
  const views = createViewCounter(flaky as never, clock, createLogger('test', 'silent'), 'secret');
  views.record(id, { network: '198.51.100.7', userAgent: 'last' });
  views.record(id, { network: '198.51.100.8', userAgent: 'last' });
  views.record(id, { network: '198.51.100.8', userAgent: 'last' });
  expect(queries).toEqual([]);
  await views.stop();
  expect(queries).toEqual(['count-views', 'count-views']);
  expect(await countViews()).toBe(2);
});

test('no address is stored', async () => {
  const other = createViewCounter(app.database.pool, clock, createLogger('test', 'silent'), 'another secret');
  other.record(id, { network: '198.51.100.7', userAgent: 'x' });
  await other.stop();
  await read(id, 'x');
  await app.services.views.flush();
  const { rows } = await app.database.pool.query('select visitor from listing_visits where listing_id = $1', [id]);
  expect(rows.map(({ visitor }: { visitor: Buffer }) => visitor.length)).toEqual([16, 16]);
  expect(rows.some(({ visitor }: { visitor: Buffer }) => visitor.includes('198.51'))).toBe(false);
});

test('views of a listing that is deleted while they are counted are left out, without an error, and the others count', async () => {
  const [doomed] = await storeListings(app, seller, [{}]);
  const complaints: unknown[] = [];
  const log = { ...createLogger('test', 'silent'), warn: (...said: unknown[]) => complaints.push(said) };
  const views = createViewCounter(app.database.pool, clock, log as never, 'secret');
  for (const listing of [doomed!.id, id]) views.record(listing, { network: '198.51.100.7', userAgent: 'late' });
  const deleter = await app.database.pool.connect();
  try {
    await deleter.query('begin');
    await deleter.query('delete from listings where id = $1', [doomed!.id]);
    const counted = views.flush();
    await expect
      .poll(async () => {
        const { rows } = await app.database.pool.query<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like 'with%listing_visits%'`,
        );
        return rows[0]?.n;
      })
      .toBe(1);
    await deleter.query('commit');
    expect(await counted).toBe(true);
  } finally {
    deleter.release();
    await views.stop();
  }
  expect(complaints).toEqual([]);
  const { rows } = await app.database.pool.query(
    `select listing_id, views::int from listing_views where listing_id = any($1)`,
    [[doomed!.id, id]],
  );
  expect(rows).toEqual([{ listing_id: id, views: 1 }]);
  const { rowCount } = await app.database.pool.query('select from listing_visits where listing_id = $1', [doomed!.id]);
  expect(rowCount).toBe(0);
});
