import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from './search-fixture.ts';

let app: TestApp;
let seller: TestUser;
let restless: TestUser;

/** Listings with many equal keys, and some with none, so that ids have to break ties. */
const variety = (index: number) => ({
  title: index % 3 === 0 ? `Cutter number ${index}` : `Sloop number ${index}`,
  description:
    index % 2 === 0 ? 'She is a cutter with a genoa and a new halyard.' : 'A sloop, with a cutter beside her.',
  category_id: ['cruising', 'racing', 'bowriders'][index % 3]!,
  price_amount: [0, 500, 500, 900][index % 4]!,
  country: index % 5 === 0 ? 'NL' : 'DE',
  attributes: {
    ...(index % 4 !== 0 && { year: 1990 + (index % 3) }),
    ...(index % 5 !== 0 && { length: 9 + (index % 4) / 10 }),
  },
  published_at: new Date(Date.UTC(2025, 2, 1) + (index % 9) * 3_600_000).toISOString(),
  updated_at: new Date(Date.UTC(2025, 3, 1) + (index % 7) * 3_600_000).toISOString(),
  lat: index % 6 === 0 ? undefined : 54 + (index % 4) / 10,
  lng: index % 6 === 0 ? undefined : 10,
  ...(index % 8 === 3 && { premium_type: 'featured', premium_until: '2099-01-01T00:00:00Z' }),
});

beforeAll(async () => {
  app = await startApp();
  [seller, restless] = [await app.createUser({ name: 'Seller' }), await app.createUser({ name: 'Restless' })];
  await storeListings(
    app,
    seller,
    Array.from({ length: 61 }, (_, index) => variety(index)),
  );
});
afterAll(() => app.close());

type Page = {
  results: { id: string; updated_at: string }[];
  pagination: { page: number; total: number; pages: number; next_cursor: string | null };
};

async function read(query: string): Promise<Page> {
  const { status, body } = await app.as(restless).get(`/api/listings?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Page;
}

async function byNumber(query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const { results, pagination } = await read(`${query}&page=${page}&limit=100`);
    ids.push(...results.map(({ id }) => id));
    if (page >= pagination.pages) return ids;
  }
}

async function byCursor(query: string, limit: number, between = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page = await read(`${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
    expect(page.results.length === limit || page.pagination.next_cursor === null).toBe(true);
    ids.push(...page.results.map(({ id }) => id));
    cursor = page.pagination.next_cursor;
    await between();
  }
  return ids;
}

const sorts = [
  'newest',
  'oldest',
  'price_asc',
  'price_desc',
  'random&seed=x',
  'year_desc',
  'length_desc',
  'updated_asc',
];
const near = 'near=54.05,10&radius_km=2000';
const searches = [
  ...sorts.flatMap((sort) => [
    `sort=${sort}`,
    `sort=${sort}&category=sailboats`,
    `sort=${sort}&category=sailboats&min_price=1&max_price=800`,
    `sort=${sort}&max_price=500&include_unpriced=true`,
    `sort=${sort}&country=DE`,
    `sort=${sort}&city=kiel`,
    `sort=${sort}&q=cutter`,
    `sort=${sort}&status=all`,
    `sort=${sort}&${near}`,
    `sort=${sort}&bbox=9,53,11,54.15`,
    `sort=${sort}&updated_since=2025-04-01T03:00:00Z`,
  ]),
  ...['', '&q=cutter', '&category=sailboats', '&city=kiel', '&bbox=9,53,11,54.25'].map(
    (more) => `sort=distance&${near}${more}`,
  ),
  'sort=relevance&q=cutter',
  'sort=relevance&q=cuttter',
  'sort=relevance&q=genoa beside',
  'sort=newest&q=genoa beside',
  'sort=relevance&q=cutter&category=sailboats&attr[min_year]=1990',
  'q=sloop',
];

test.each(searches)('pages by cursor have the listings and the order of pages by number: %s', async (query) => {
  const expected = await byNumber(query);
  expect(expected.length).toBeGreaterThan(10);
  for (const limit of [query.includes('country=DE') ? 1 : 7, 20])
    expect(await byCursor(query, limit)).toEqual(expected);
});

test('a cursor leads on from a page by number', async () => {
  const expected = await byNumber('sort=price_asc');
  const { pagination } = await read('sort=price_asc&page=3&limit=10');
  const { results, pagination: after } = await read(`sort=price_asc&limit=10&cursor=${pagination.next_cursor}`);
  expect(results.map(({ id }) => id)).toEqual(expected.slice(30, 40));
  expect(after).toMatchObject({ page: 4, limit: 10, total: 61, pages: 7 });
});

test('an order by chance that names no seed goes on as it has begun', async () => {
  const ids = await byCursor('sort=random', 7);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual((await byNumber('sort=newest')).toSorted());
});

test('a first page without promotions has the same bytes an hour later, cursor and all', async () => {
  let now = new Date('2026-05-01T10:00:00Z');
  const twin = await startApp({ database: app.database, clock: { now: () => now } });
  try {
    await storeListings(
      app,
      restless,
      Array.from({ length: 3 }, () => ({ category_id: 'outboards' })),
    );
    const readText = async () => (await twin.as().get('/api/listings?sort=newest&category=outboards&limit=2')).text;
    const before = await readText();
    now = new Date('2026-05-01T11:00:30Z');
    expect(await readText()).toBe(before);
    expect(JSON.parse(before)).toMatchObject({ pagination: { total: 3, next_cursor: expect.any(String) } });
  } finally {
    await app.database.pool.query('delete from listings where seller_id = $1', [restless.id]);
    await twin.close();
  }
});

describe('while others publish, promote and take away', () => {
  test.each([
    ...sorts.map((sort) => `sort=${sort}`),
    `sort=distance&${near}`,
    'sort=relevance&q=cutter',
    'sort=relevance&q=genoa beside',
    `sort=newest&${near}`,
  ])('nothing is met twice, and nothing that was there all along is missed: %s', async (query) => {
    const before = await byNumber(query);
    const gone = new Set<string>();
    let turn = 0;
    const seen = await byCursor(query, 3, async () => {
      turn += 1;
      const now = new Date().toISOString();
      await storeListings(app, restless, [
        {
          ...variety(turn),
          title: 'Cutter just published',
          published_at: now,
          premium_type: 'featured',
          premium_until: '2099-01-01T00:00:00Z',
        },
        { ...variety(turn + 1), published_at: '2025-01-01T00:00:00Z', price_amount: 1 },
      ]);
      const { rows } = await app.database.pool.query<{ id: string }>(
        `delete from listings where id = (select id from listings where seller_id = $1 order by md5(id) limit 1) returning id`,
        [restless.id],
      );
      for (const { id } of rows) gone.add(id);
    });
    expect(new Set(seen).size).toBe(seen.length);
    const found = new Set(seen);
    expect(before.filter((id) => !found.has(id) && !gone.has(id))).toEqual([]);
    await app.database.pool.query('delete from listings where seller_id = $1', [restless.id]);
  });

  test('a promotion that ends between two pages moves nothing', async () => {
    const seen = await byCursor('sort=newest', 5, async () => {
      await app.database.pool.query(
        `update listings set premium_until = now() + interval '20 milliseconds' where premium_type = 'featured'`,
      );
    });
    expect(new Set(seen).size).toBe(61);
    expect(seen).toHaveLength(61);
  });
});

describe('400', () => {
  test.each([
    ['cursor=abc', '/query/cursor'],
    ['cursor=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', '/query/cursor'],
    ['cursor=AAAA&page=1', '/query/cursor'],
    ['sort=distance', '/query/sort'],
    ['near=1', '/query/near'],
    ['near=91,0', '/query/near'],
    ['near=0,181', '/query/near'],
    ['near=a,b', '/query/near'],
    ['near=1,2&radius_km=20001', '/query/radius_km'],
    ['near=1,2&radius_km=-1', '/query/radius_km'],
    ['bbox=1,2,3', '/query/bbox'],
    ['bbox=1,2,3,1', '/query/bbox'],
    ['bbox=1,2,3,91', '/query/bbox'],
    ['updated_since=yesterday', '/query/updated_since'],
    ['fields=id,secret', '/query/fields'],
    ['fields=constructor', '/query/fields'],
    ['facets=colour', '/query/facets'],
    ['facets=attr.colour', '/query/facets'],
    ['facets=constructor', '/query/facets'],
    ['facets=attr.__proto__', '/query/facets'],
    ['facet_limit=101', '/query/facet_limit'],
  ])('for %s', async (query, path) => {
    const { status, body } = await app.as().get(`/api/listings?${query}`);
    expect(status).toBe(400);
    expect((body as { error: { details: { errors: { path: string }[] } } }).error.details.errors[0]?.path).toBe(path);
  });

  test('for a cursor of another search, of another order, or with a byte changed', async () => {
    const { pagination } = await read('sort=newest&limit=5&country=DE');
    const cursor = pagination.next_cursor!;
    const middle = cursor.length >> 1;
    const changed = `${cursor.slice(0, middle)}${cursor[middle] === 'A' ? 'B' : 'A'}${cursor.slice(middle + 1)}`;
    for (const query of [
      `cursor=${cursor}`,
      `sort=oldest&country=DE&cursor=${cursor}`,
      `sort=newest&country=DE&cursor=${changed}`,
    ]) {
      const { status } = await app.as().get(`/api/listings?${query}`);
      expect(status, query).toBe(400);
    }
    expect(await read(`country=DE&sort=newest&limit=9&lang=de&cursor=${cursor}`)).toBeDefined();
  });
});
