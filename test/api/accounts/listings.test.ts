import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings, type StoredListing } from '../listings/search-fixture.ts';

const statuses = ['draft', 'active', 'paused', 'sold', 'expired', 'flagged', 'deleted'];

describe.each(['nautical', 'general'] as const)('in the %s profile', (profile) => {
  let app: TestApp;
  let [owner, other] = [] as unknown as [TestUser, TestUser];
  let listings: StoredListing[];
  beforeAll(async () => {
    app = await startApp({ profile });
    [owner, other] = [await app.createUser(), await app.createUser()];
    const category_id = app.services.catalog.validIds()[0]!;
    const fields = statuses.flatMap((status, number) =>
      [0, 1, 2].map((copy) => ({
        status,
        category_id,
        published_at: status === 'draft' ? null : new Date(Date.UTC(2025, copy, number + 1)).toISOString(),
        created_at: new Date(Date.UTC(2025, copy, number + 1)).toISOString(),
      })),
    );
    listings = await storeListings(app, owner, fields);
    await storeListings(app, other, [{ status: 'active', category_id }]);
  });
  afterAll(() => app.close());

  /** The stored listings in these statuses, newest first. */
  const idsOf = (...wanted: string[]) =>
    listings
      .filter(({ status }) => wanted.includes(status!))
      .toSorted((a, b) => b.created_at!.localeCompare(a.created_at!))
      .map(({ id }) => id);
  const read = async (path: string, who?: TestUser) => {
    const { status, body } = await app.as(who).get(path);
    return { status, body, ids: body.results?.map(({ id }: { id: string }) => id) as string[] };
  };

  test('my listings are all of mine but the deleted ones, newest first, with the exact total', async () => {
    const all = idsOf(...statuses.filter((status) => status !== 'deleted'));
    const { body, ids } = await read('/api/me/listings', owner);
    expect(ids).toEqual(all);
    expect(body.pagination).toEqual({ page: 1, limit: 20, total: 18, pages: 1 });
    expect((await read('/api/me/listings?status=all', owner)).ids).toEqual(all);
    expect((await read('/api/me/listings', await app.createUser())).body).toEqual({
      results: [],
      pagination: { page: 1, limit: 20, total: 0, pages: 0 },
    });
  });

  test.each(statuses.filter((status) => status !== 'deleted'))('my listings in the status %s', async (status) => {
    const { body, ids } = await read(`/api/me/listings?status=${status}`, owner);
    expect(ids).toEqual(idsOf(status));
    expect(body.pagination.total).toBe(3);
  });

  test('pages of my listings hold each of them once, and one past the end is empty', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4, 5].map((page) => read(`/api/me/listings?limit=5&page=${page}`, owner)),
    );
    expect(pages.flatMap(({ ids }) => ids)).toEqual(idsOf(...statuses.filter((status) => status !== 'deleted')));
    expect(pages.map(({ body }) => body.pagination)).toEqual(
      [1, 2, 3, 4, 5].map((page) => ({ page, limit: 5, total: 18, pages: 4 })),
    );
  });

  test('a page far past the end is empty, with the same total', async () => {
    const { status, body } = await read('/api/me/listings?limit=100&page=1000000', owner);
    expect([status, body]).toEqual([
      200,
      { results: [], pagination: { page: 1_000_000, limit: 100, total: 18, pages: 1 } },
    ]);
  });

  test("a user's listings are the active ones, for everybody, the user too", async () => {
    for (const who of [undefined, other, owner]) {
      const { status, body, ids } = await read(`/api/users/${owner.id}/listings`, who);
      expect([status, ids]).toEqual([200, idsOf('active')]);
      expect(body.pagination).toEqual({ page: 1, limit: 20, total: 3, pages: 1 });
    }
    const second = await read(`/api/users/${owner.id}/listings?limit=2&page=2`);
    expect(second.ids).toEqual(idsOf('active').slice(2));
    expect(second.body.pagination).toEqual({ page: 2, limit: 2, total: 3, pages: 2 });
  });

  test('a user without listings has an empty page, and a user who does not exist is 404', async () => {
    const newcomer = await app.createUser();
    expect((await read(`/api/users/${newcomer.id}/listings`)).body.pagination.total).toBe(0);
    for (const id of ['usr_01K6Q8Z3V4H5J6K7M8N9P0Q1R2', 'nobody', listings[0]!.id]) {
      const { status, body } = await read(`/api/users/${id}/listings`);
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    }
  });

  test('400 for what is no page, no status or no parameter; 401 for nobody', async () => {
    const wrong = ['page=0', 'limit=101', 'limit=x', 'status=deleted', 'colour=red'];
    for (const query of wrong) expect((await read(`/api/me/listings?${query}`, owner)).status).toBe(400);
    for (const query of ['page=0', 'limit=101', 'status=sold']) {
      expect((await read(`/api/users/${owner.id}/listings?${query}`)).status).toBe(400);
    }
    expect((await read('/api/me/listings')).status).toBe(401);
  });
});
