import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTracker } from '../../../api/tracking/tracker.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const now = new Date('2026-03-01T23:59:30Z');

let app: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
  app = await startApp({ clock: { now: () => now } });
  [ada, bob] = [await app.createUser(), await app.createUser()];
});
afterAll(async () => {
  await app.close();
});
beforeEach(async () => {
  await app.services.tracker.flush();
  await app.database.pool.query('truncate tracked_events, tracked_days');
});

const track = (body: unknown, { who, userAgent = browser }: { who?: TestUser; userAgent?: string } = {}) =>
  app.as(who).post('/api/track', body, { headers: { 'User-Agent': userAgent } });
async function stored() {
  expect(await app.services.tracker.flush()).toBe(true);
  return (await app.database.pool.query('select * from tracked_events order by id')).rows;
}
async function counted() {
  await app.services.tracker.flush();
  return (await app.database.pool.query('select day, event, key, n from tracked_days order by event, key')).rows;
}

const nothing = {
  path: null,
  referrer: null,
  user_agent: null,
  user_id: null,
  listing_id: null,
  query: null,
  results_count: null,
  metadata: null,
};
const whole = {
  event: 'search',
  path: '/boats?q=Bavaria',
  referrer: 'https://www.example.com/',
  user_agent: 'Station/2',
  listing_id: 'lst_unheard_of',
  query: '  Bavaria   Cruiser ',
  results_count: 42,
  metadata: { layout: { name: 'map', zoom: [1, 2.5, null] }, beta: true },
};

test('an event is stored whole, at the time it was reported', async () => {
  const { status, body } = await track(whole);
  expect({ status, body }).toEqual({ status: 200, body: { ok: true } });
  const { id: _, ...row } = (await stored())[0];
  expect(row).toEqual({ ...whole, query: 'bavaria cruiser', user_id: null, created_at: now });
});

test('an event alone is enough, and the user agent is taken from the request', async () => {
  await track({ event: 'page_view' });
  expect(await stored()).toMatchObject([{ event: 'page_view', user_agent: browser, path: null, metadata: null }]);
});

test('a longer user agent of the request is cut to what may be sent', async () => {
  await track({ event: 'page_view' }, { userAgent: 'x'.repeat(900) });
  expect(await stored()).toMatchObject([{ user_agent: 'x'.repeat(512) }]);
});

test('nothing that is stored tells the address of the visitor', async () => {
  await track(whole);
  expect(JSON.stringify(await stored())).not.toMatch(/127\.0\.0\.1|::1/);
});

test('only the caller can say who they are', async () => {
  await track({ event: 'page_view', user_id: ada.id });
  await track({ event: 'page_view', user_id: ada.id }, { who: bob });
  await track({ event: 'page_view', user_id: ada.id }, { who: ada });
  await track({ event: 'page_view' }, { who: ada });
  expect((await stored()).map((row) => row.user_id)).toEqual([null, null, ada.id, null]);
});

test.each(['Googlebot/2.1', 'Mozilla/5.0 HeadlessChrome/140.0', 'my-spider/1.0'])(
  '%s is answered, and what it sends is not stored, whichever way it names itself',
  async (userAgent) => {
    const replies = [
      await track({ event: 'listing_view', listing_id: 'lst_1' }, { userAgent }),
      await track({ event: 'listing_view', listing_id: 'lst_1', user_agent: userAgent }),
      await track({ event: 'listing_view', listing_id: 'lst_1', user_agent: browser }, { userAgent }),
    ];
    expect(replies.map(({ status, body }) => ({ status, body }))).toEqual(
      Array.from({ length: 3 }, () => ({ status: 200, body: { ok: true } })),
    );
    expect(await stored()).toEqual([]);
    expect(await counted()).toEqual([]);
  },
);

test('a view that is tracked does not raise the views of the listing', async () => {
  const { rows } = await app.database.pool.query('select * from listing_views');
  await track({ event: 'listing_view', listing_id: 'lst_1' });
  await stored();
  expect((await app.database.pool.query('select * from listing_views')).rows).toEqual(rows);
});

test('a batch is counted by day, by kind and by what it is about', async () => {
  for (const path of ['/a?x=1', '/a#top', '/b', '', undefined]) await track({ event: 'page_view', path });
  for (const query of ['Folkboat', 'folkboat', 'ada@example.com']) await track({ event: 'search', query });
  await track({ event: 'listing_view', listing_id: 'lst_1' });
  await track({ event: 'signup' });
  const day = '2026-03-01';
  expect(await counted()).toEqual([
    { day, event: 'listing_view', key: '', n: 1 },
    { day, event: 'listing_view', key: 'lst_1', n: 1 },
    { day, event: 'page_view', key: '', n: 5 },
    { day, event: 'page_view', key: '/a', n: 2 },
    { day, event: 'page_view', key: '/b', n: 1 },
    { day, event: 'search', key: '', n: 3 },
    { day, event: 'search', key: 'folkboat', n: 2 },
    { day, event: 'signup', key: '', n: 1 },
  ]);
  await track({ event: 'page_view', path: '/a' });
  expect(await counted()).toContainEqual({ day, event: 'page_view', key: '/a', n: 3 });
});

test('words that may be an address or a telephone number are not kept', async () => {
  for (const query of ['ada@example.com', '+49 170 1234567']) await track({ event: 'search', query });
  expect((await stored()).map((row) => row.query)).toEqual([null, null]);
});

test('the longest path of the widest letters can be counted', async () => {
  await track({ event: 'page_view', path: '/' + [...'𓀀𓁐𓂝𓃒'].map((letter, n) => letter.repeat(500 + n)).join('') });
  await track({
    event: 'page_view',
    path: Array.from({ length: 2_048 }, (_, n) => String.fromCodePoint(0x20000 + n)).join(''),
  });
  expect(await stored()).toHaveLength(2);
});

test('what several processes count at once adds up', async () => {
  const { pool } = app.database;
  const trackers = Array.from({ length: 4 }, () => createTracker(pool, app.services.log));
  const event = { ...nothing, event: 'page_view' as const, created_at: now };
  const paths = Array.from({ length: 50 }, (_, n) => `/${n}`);
  for (let round = 0; round < 5; round += 1) {
    for (const [n, tracker] of trackers.entries())
      for (const path of n % 2 === 0 ? paths : paths.toReversed()) tracker.note({ ...event, path });
    expect(await Promise.all(trackers.map((tracker) => tracker.flush()))).toEqual([true, true, true, true]);
  }
  await Promise.all(trackers.map((tracker) => tracker.stop()));
  const rows = await counted();
  expect(rows.find(({ key }) => key === '')).toMatchObject({ n: 1_000 });
  expect(rows.filter(({ key, n }) => key !== '' && n === 20)).toHaveLength(50);
});

test('what could not be written is written later, once', async () => {
  await track({ event: 'page_view', path: '/later' });
  await app.database.pool.query('alter table tracked_days rename to hidden');
  expect(await app.services.tracker.flush()).toBe(false);
  await app.database.pool.query('alter table hidden rename to tracked_days');
  expect(await stored()).toHaveLength(1);
});

describe('400', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

  test.each([
    ['no event', {}],
    ['an event of another kind', { event: 'purchase' }],
    ['a path of 2049 characters', { event: 'page_view', path: 'x'.repeat(2_049) }],
    ['a referrer of 2049 characters', { event: 'page_view', referrer: 'x'.repeat(2_049) }],
    ['a user agent of 513 characters', { event: 'page_view', user_agent: 'x'.repeat(513) }],
    ['a user id of 31 characters', { event: 'page_view', user_id: 'x'.repeat(31) }],
    ['a listing id of 31 characters', { event: 'page_view', listing_id: 'x'.repeat(31) }],
    ['a query of 501 characters', { event: 'search', query: 'x'.repeat(501) }],
    ['a negative count', { event: 'search', results_count: -1 }],
    ['half a result', { event: 'search', results_count: 0.5 }],
    ['more results than can be', { event: 'search', results_count: 2_147_483_648 }],
    ['metadata that are no object', { event: 'search', metadata: ['a'] }],
    [
      'metadata of 51 fields',
      { event: 'search', metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, n])) },
    ],
    ['metadata of more than 8 KiB', { event: 'search', metadata: { text: 'é'.repeat(4_100) } }],
    ['metadata nested six levels deep', { event: 'search', metadata: deep(6) }],
    ['a field that is none', { event: 'search', color: 'red' }],
  ])('%s', async (_name, body) => {
    expect((await track(body)).status).toBe(400);
    expect(await stored()).toEqual([]);
  });

  test('the same fields at their limits are taken', async () => {
    const limits = {
      path: 'x'.repeat(2_048),
      referrer: 'x'.repeat(2_048),
      user_agent: 'x'.repeat(512),
      user_id: 'x'.repeat(30),
      listing_id: 'x'.repeat(30),
      query: 'x'.repeat(500),
      results_count: 2_147_483_647,
      metadata: deep(5),
    };
    expect((await track({ event: 'search', ...limits })).status).toBe(200);
    expect(await stored()).toHaveLength(1);
  });
});
