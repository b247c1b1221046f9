import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../shared/kit/clock.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';

const now = new Date('2026-03-10T12:00:00Z');

let app: TestApp;
let ada: TestUser;
let bob: TestUser;
let admin: TestUser;
/** What Ada and Bob have, by the days until it expires. */
const ids = new Map<string, string>();
beforeAll(async () => {
  app = await startApp({ clock: { now: () => now } });
  [ada, bob, admin] = [await app.createUser(), await app.createUser(), await app.createUser({ role: 'admin' })];
  for (const [name, owner, days, status] of [
    ['in a month', ada, 30, 'active'],
    ['in a week', ada, 7, 'active'],
    ['in a week and a minute', ada, 7 + 1 / 1_440, 'active'],
    ['tomorrow', ada, 1, 'paused'],
    ['overdue', ada, -1, 'active'],
    ['sold', ada, 2, 'sold'],
    ['a draft', ada, 2, 'draft'],
    ['expired', ada, -3, 'expired'],
    ["Bob's", bob, 3, 'active'],
  ] as const) {
    const { body } = await app.as(owner).post('/api/listings', listingBody());
    await set(body.id, days, status);
    ids.set(name, body.id);
  }
  const record = ingestBody();
  const { body } = await app.as(ada).post('/api/ingest', { records: [record] });
  await set(body.ids[record.url], 2, 'active');
});
afterAll(async () => {
  await app.close();
});

const set = (id: string, days: number, status: string) =>
  app.database.pool.query('update listings set expires_at = $2, status = $3 where id = $1', [
    id,
    new Date(now.getTime() + days * DAY_MS),
    status,
  ]);
const named = (names: string[]) => names.map((name) => ids.get(name));
const idsOf = (body: { results: { id: string }[] }) => body.results.map(({ id }) => id);

describe('of the caller', () => {
  const path = '/api/me/listings/expiring';

  test('active and paused ones within seven days, soonest first, with what is overdue and without what was scraped', async () => {
    const { status, body } = await app.as(ada).get(path);
    expect({ status, ids: idsOf(body) }).toEqual({ status: 200, ids: named(['overdue', 'tomorrow', 'in a week']) });
    expect({ days: body.days, pagination: body.pagination }).toEqual({
      days: 7,
      pagination: { page: 1, limit: 20, total: 3, pages: 1 },
    });
    expect(body.results[1]).toMatchObject({ status: 'paused', expires_at: '2026-03-11T12:00:00.000Z' });
  });

  test('as far ahead as is asked for', async () => {
    expect(idsOf((await app.as(ada).get(`${path}?days=1`)).body)).toEqual(named(['overdue', 'tomorrow']));
    expect(idsOf((await app.as(ada).get(`${path}?days=30`)).body)).toEqual(
      named(['overdue', 'tomorrow', 'in a week', 'in a week and a minute', 'in a month']),
    );
  });

  test('page by page', async () => {
    const { body } = await app.as(ada).get(`${path}?limit=2&page=2`);
    expect({ ids: idsOf(body), pagination: body.pagination }).toEqual({
      ids: named(['in a week']),
      pagination: { page: 2, limit: 2, total: 3, pages: 2 },
    });
    expect((await app.as(ada).get(`${path}?limit=2&page=3`)).body).toMatchObject({
      results: [],
      pagination: { total: 3 },
    });
    expect((await app.as(ada).get(`${path}?limit=100&page=1000000`)).body.results).toEqual([]);
  });

  test.each(['0', '91', '1.5', 'week', ''])('400 for %j days', async (days) => {
    expect((await app.as(ada).get(`${path}?days=${days}`)).status).toBe(400);
  });

  test('401 without a credential', async () => {
    expect((await app.as().get(path)).status).toBe(401);
  });
});

describe('of everybody', () => {
  const path = '/api/admin/listings/expiring';

  test('the same for all sellers together', async () => {
    const { status, body } = await app.as(admin).get(path);
    expect({ status, ids: idsOf(body), days: body.days }).toEqual({
      status: 200,
      ids: named(['overdue', 'tomorrow', "Bob's", 'in a week']),
      days: 7,
    });
  });

  test('403 for whoever is no admin', async () => {
    expect((await app.as(ada).get(path)).status).toBe(403);
  });
});
