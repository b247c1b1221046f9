import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from '../listings/search-fixture.ts';

let app: TestApp;
let seller: TestUser;
beforeAll(async () => {
  let minutes = 0;
  const clock = { now: () => new Date(Date.UTC(2026, 0, 1) + (minutes += 1) * 60_000) };
  app = await startApp({ clock });
  seller = await app.createUser();
});
afterAll(() => app.close());

const store = async (status: string, who = seller) => (await storeListings(app, who, [{ status }]))[0]!;
const add = (who: TestUser, listing_id: string) => app.as(who).post('/api/me/favorites', { listing_id });
const list = async (who: TestUser, query = '') => (await app.as(who).get(`/api/me/favorites${query}`)).body;
const idsOf = ({ results }: { results: { id: string }[] }) => results.map(({ id }) => id);

describe('keeping a listing', () => {
  test('200, by id or slug, last added first; again it stays one, where it was', async () => {
    const user = await app.createUser();
    const [a, b, c] = [await store('active'), await store('sold'), await store('paused')];
    for (const name of [a.id, b.slug, c.id, a.id]) {
      const { status, body } = await add(user, name);
      expect([status, body]).toEqual([200, { listing_id: expect.stringMatching(/^lst_/), favorited: true }]);
    }
    const { results, pagination } = await list(user);
    expect(results.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [c.id, 'paused'],
      [b.id, 'sold'],
      [a.id, 'active'],
    ]);
    expect(pagination).toEqual({ page: 1, limit: 20, total: 3, pages: 1 });
    expect(idsOf(await list(user, '?page=2&limit=2'))).toEqual([a.id]);
    expect((await list(user, '?page=9')).pagination).toMatchObject({ page: 9, total: 3 });
    expect(idsOf(await list(seller))).toEqual([]);
  });

  test('twenty at once are one', async () => {
    const user = await app.createUser();
    const { id } = await store('active');
    const replies = await Promise.all(Array.from({ length: 20 }, () => add(user, id)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await list(user)).pagination.total).toBe(1);
  });

  test('404 for what the caller may not read: drafts, expired and deleted ones of others, and none at all', async () => {
    const user = await app.createUser();
    for (const status of ['draft', 'expired', 'flagged', 'deleted']) {
      const { id } = await store(status);
      const reply = await add(user, id);
      expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    }
    expect((await add(user, 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2')).status).toBe(404);
    const own = await store('draft', user);
    expect((await add(user, own.id)).status).toBe(200);
    expect(idsOf(await list(user))).toEqual([own.id]);
  });

  test('what cannot be read any more is neither shown nor counted until it can', async () => {
    const user = await app.createUser();
    const [a, b] = [await store('active'), await store('active')];
    await add(user, a.id);
    await add(user, b.id);
    const setStatus = (status: string) =>
      app.database.pool.query('update listings set status = $2 where id = $1', [a.id, status]);
    for (const status of ['expired', 'flagged', 'deleted', 'draft']) {
      await setStatus(status);
      const page = await list(user);
      expect([idsOf(page), page.pagination.total]).toEqual([[b.id], 1]);
    }
    await setStatus('active');
    expect(idsOf(await list(user))).toEqual([b.id, a.id]);
  });

  test('a listing that is deleted for good leaves no trace', async () => {
    const user = await app.createUser();
    const { id } = await store('active');
    await add(user, id);
    expect((await app.as(seller).delete(`/api/listings/${id}`)).status).toBe(200);
    expect((await list(user)).pagination.total).toBe(0);
    expect((await app.as(user).delete(`/api/me/favorites/${id}`)).status).toBe(404);
  });
});

describe('removing one', () => {
  const remove = (who: TestUser, id: string) => app.as(who).delete(`/api/me/favorites/${id}`);

  test('200 as often as it is asked for, by id or slug; those of others stay', async () => {
    const [user, other] = [await app.createUser(), await app.createUser()];
    const { id, slug } = await store('active');
    await add(user, id);
    await add(other, id);
    for (const name of [slug, id, id]) {
      const { status, body } = await remove(user, name);
      expect([status, body]).toEqual([200, { listing_id: id, favorited: false }]);
    }
    expect([(await list(user)).pagination.total, (await list(other)).pagination.total]).toEqual([0, 1]);
  });

  test('what can no longer be read can be removed, once; then it is 404, as for everybody', async () => {
    const user = await app.createUser();
    const { id } = await store('active');
    await add(user, id);
    await app.database.pool.query(`update listings set status = 'expired' where id = $1`, [id]);
    expect([(await remove(user, id)).status, (await remove(user, id)).status]).toEqual([200, 404]);
  });
});

test('in the general profile expired and flagged listings are public, and stay among favorites', async () => {
  const general = await startApp({ profile: 'general' });
  try {
    const [user, owner] = [await general.createUser(), await general.createUser()];
    const stored = await storeListings(general, owner, [
      { status: 'expired', category_id: 'sailboats' },
      { status: 'flagged', category_id: 'sailboats' },
    ]);
    for (const { id } of stored)
      expect((await general.as(user).post('/api/me/favorites', { listing_id: id })).status).toBe(200);
    expect((await general.as(user).get('/api/me/favorites')).body.pagination.total).toBe(2);
  } finally {
    await general.close();
  }
});
