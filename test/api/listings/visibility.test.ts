import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings, type StoredListing } from './search-fixture.ts';

const statuses = ['draft', 'active', 'paused', 'sold', 'expired', 'flagged', 'deleted'];
const open = { nautical: ['active', 'paused', 'sold'], general: ['active', 'paused', 'sold', 'expired', 'flagged'] };
const notDeleted = statuses.filter((status) => status !== 'deleted');

describe.each(['nautical', 'general'] as const)('in the %s profile', (profile) => {
  let app: TestApp;
  let [owner, other, admin] = [] as unknown as [TestUser, TestUser, TestUser];
  let listings: StoredListing[];

  beforeAll(async () => {
    app = await startApp({ profile });
    owner = await app.createUser();
    other = await app.createUser();
    admin = await app.createUser({ role: 'admin' });
    const category_id = app.services.catalog.validIds()[0]!;
    const fields = statuses.map((status) => ({
      status,
      category_id,
      title: `A ${status} thing with barnacles`,
      published_at: status === 'draft' ? null : '2025-05-01T00:00:00Z',
    }));
    listings = await storeListings(app, owner, fields);
  });
  afterAll(() => app.close());

  const idOf = (status: string) => listings.find((listing) => listing.status === status)!.id;

  async function found(client: Client, query: string): Promise<string[]> {
    const { body } = await client.get(`/api/listings?limit=50&${query}`);
    const ids: string[] = body.results.map(({ id }: { id: string }) => id);
    expect(body.pagination.total).toBe(ids.length);
    return ids.map((id) => listings.find((listing) => listing.id === id)?.status ?? 'unknown').toSorted();
  }

  /** Every way a search is carried out: walks, gathering, words, and orders without an index of their own. */
  const ways = [
    '',
    'q=barnacles',
    'city=kiel',
    'sort=oldest',
    'sort=price_asc',
    'sort=random',
    'q=barnacles&city=kiel',
    'q=barnacles&sort=relevance',
  ];

  test.each(ways)('a search (%s) finds active listings only, whoever asks', async (way) => {
    for (const who of [undefined, owner, other, admin]) expect(await found(app.as(who), way)).toEqual(['active']);
  });

  test.each(ways)('status=all (%s) finds what the caller may see', async (way) => {
    const query = `${way}&status=all`;
    expect(await found(app.as(), query)).toEqual(open[profile].toSorted());
    expect(await found(app.as(other), query)).toEqual(open[profile].toSorted());
    expect(await found(app.as(owner), query)).toEqual(notDeleted.toSorted());
    expect(await found(app.as(admin), query)).toEqual(notDeleted.toSorted());
  });

  test.each(['paused', 'sold', 'expired', 'flagged'])(
    'status=%s is for everyone or for the owner, as the profile says',
    async (status) => {
      const isOpen = open[profile].includes(status);
      for (const way of ways) {
        const query = `${way}&status=${status}`;
        expect(await found(app.as(), query), way).toEqual(isOpen ? [status] : []);
        expect(await found(app.as(other), query), way).toEqual(isOpen ? [status] : []);
        expect(await found(app.as(owner), query), way).toEqual([status]);
        expect(await found(app.as(admin), query), way).toEqual([status]);
      }
    },
  );

  test.each(statuses)(
    'a %s listing reads as 200 for those who may see it and as 404 for all others',
    async (status) => {
      const isOpen = open[profile].includes(status);
      const expected: [Client, boolean][] = [
        [app.as(), isOpen],
        [app.as(other), isOpen],
        [app.as(owner), status !== 'deleted'],
        [app.as(admin), true],
      ];
      for (const [client, allowed] of expected) {
        for (const path of [
          idOf(status),
          listings.find((each) => each.status === status)!.slug,
          `${idOf(status)}.md`,
        ]) {
          const answer = await client.get(`/api/listings/${path}`);
          expect([path, answer.status]).toEqual([path, allowed ? 200 : 404]);
        }
      }
    },
  );

  test('an owner who reads first leaves nothing in the cache for others', async () => {
    await app.as(owner).get(`/api/listings/${idOf('draft')}`);
    await app.as(owner).get('/api/listings?status=all');
    const [detail, list] = [
      await app.as().get(`/api/listings/${idOf('draft')}`),
      await app.as().get('/api/listings?status=all'),
    ];
    expect(detail.status).toBe(404);
    expect(list.text).not.toContain(idOf('draft'));
  });
});
