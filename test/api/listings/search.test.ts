import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings, type StoredListing } from './search-fixture.ts';

let app: TestApp;
let seller: TestUser;
let other: TestUser;
let all: StoredListing[];

const categories = ['cruising', 'racing', 'bowriders', 'outboards', 'sails'];
const conditions = ['new', 'like_new', 'good', 'fair'];
const places = [
  ['DE', 'Kiel'],
  ['DE', 'Flensburg'],
  ['NL', 'Lemmer'],
  ['FR', 'La Rochelle'],
  ['DE', 'KIEL'],
] as const;
const brands = ['Bavaria', 'Hallberg-Rassy', 'Beneteau', '50% off "Yard"', 'BAVARIA Yachts'];
const words = ['genoa', 'autopilot', 'bowsprit', 'halyard', 'tiller'];

/** Eighty listings that differ in everything a filter asks for, in a fixed but unordered way. */
function variety(index: number) {
  const spread = (index * 37) % 80;
  return {
    title: `${brands[index % 5]} with ${words[spread % 5]}`,
    description: `It has a ${words[(spread + 2) % 5]}, and there is nothing else to say.`,
    category_id: categories[spread % 5],
    status: 'active',
    type: spread % 6 === 0 ? 'wanted' : 'sale',
    condition: conditions[spread % 4],
    price_amount: spread % 7 === 0 ? 0 : ((spread * 53) % 40) * 500,
    country: places[spread % 5]![0],
    city: places[spread % 5]![1],
    shipping: spread % 3 === 0,
    attributes: {
      brand: brands[index % 5],
      ...(spread % 4 !== 3 && { year: 1980 + ((spread * 7) % 40) }),
      ...(spread % 5 !== 4 && { length: 5 + ((spread * 11) % 30) / 2 }),
      ...(spread % 2 === 0 && { cabins: spread % 5 }),
      trailer_included: spread % 2 === 1,
      ...(index === 17 && { brand: 17, cabins: 'two', trailer_included: 'yes' }),
    },
    published_at: new Date(Date.UTC(2025, 2, 1) + ((spread * 61) % 40) * 3_600_000).toISOString(),
    ...(index % 20 === 3 && { premium_type: 'featured', premium_until: '2099-01-01T00:00:00Z' }),
    ...(index % 20 === 4 && { premium_type: 'featured', premium_until: '2025-01-01T00:00:00Z' }),
    ...(index % 20 === 5 && { premium_type: 'urgent', premium_until: '2099-01-01T00:00:00Z' }),
  };
}

beforeAll(async () => {
  app = await startApp();
  [seller, other] = [await app.createUser({ name: 'Seller' }), await app.createUser({ name: 'Other' })];
  const listings = Array.from({ length: 80 }, (_, index) => variety(index));
  all = [
    ...(await storeListings(
      app,
      seller,
      listings.filter((_, index) => index % 4 !== 0),
    )),
    ...(await storeListings(
      app,
      other,
      listings.filter((_, index) => index % 4 === 0),
    )),
  ];
});
afterAll(() => app.close());

type Match = (listing: StoredListing) => boolean;
const inTree =
  (...ids: string[]): Match =>
  ({ category_id: id }) =>
    ids.includes(id ?? '');
const number = (listing: StoredListing, key: string) => listing.attributes?.[key] as number | undefined;

/** A query and what it must find, told once more in plain code. */
const filters: [query: string, matches: Match][] = [
  ['', () => true],
  ['category=sailboats', inTree('cruising', 'racing')],
  ['category=outboards', inTree('outboards')],
  ['min_price=5000', ({ price_amount: price = 0 }) => price >= 5_000],
  ['max_price=5000', ({ price_amount: price = 0 }) => price > 0 && price <= 5_000],
  ['min_price=2500&max_price=10000', ({ price_amount: price = 0 }) => price >= 2_500 && price <= 10_000],
  ['min_price=0', ({ price_amount: price = 0 }) => price > 0],
  ['max_price=0', () => false],
  ['max_price=0&include_unpriced=true', ({ price_amount: price }) => price === 0],
  ['min_price=5000&include_unpriced=true', ({ price_amount: price = 0 }) => price === 0 || price >= 5_000],
  ['min_price=0&include_unpriced=true', () => true],
  ['min_price=9000&max_price=3000', () => false],
  ['include_unpriced=false', () => true],
  ['condition=like_new', ({ condition }) => condition === 'like_new'],
  ['country=de', ({ country }) => country === 'DE'],
  ['city=kiel', ({ city }) => city?.toLowerCase() === 'kiel'],
  [
    'city=KIEL&country=DE&condition=good',
    ({ city, condition }) => city?.toLowerCase() === 'kiel' && condition === 'good',
  ],
  ['shipping=true', ({ shipping }) => shipping === true],
  ['shipping=false', ({ shipping }) => shipping === false],
  ['type=wanted', ({ type }) => type === 'wanted'],
  [
    'category=sailboats&attr[brand]=bavaria',
    (each) => inTree('cruising', 'racing')(each) && /bavaria/i.test(String(each.attributes?.['brand'])),
  ],
  ['category=boats-of-nowhere', () => false],
  ['category=racing,outboards', inTree('racing', 'outboards')],
  ['category=racing&category=outboards', inTree('racing', 'outboards')],
  ['category=racing,boats-of-nowhere', inTree('racing')],
  ['condition=like_new,good', ({ condition }) => condition === 'like_new' || condition === 'good'],
  ['country=de&country=NL,DK', ({ country }) => ['DE', 'NL', 'DK'].includes(country ?? '')],
  [
    'country=DE,NL&min_price=2500',
    ({ country, price_amount: price = 0 }) => /^(?:DE|NL)$/.test(country ?? '') && price >= 2_500,
  ],
  ['type=sale,wanted', () => true],
  ['attr[brand]=bavaria,hanse', ({ attributes }) => /bavaria|hanse/i.test(String(attributes?.['brand']))],
  ['attr[brand]=bavaria&attr[brand]=hanse', ({ attributes }) => /bavaria|hanse/i.test(String(attributes?.['brand']))],
  [
    'category=sailboats&attr[trailer_included]=true,false',
    (each) => inTree('cruising', 'racing')(each) && typeof each.attributes?.['trailer_included'] === 'boolean',
  ],
  ['attr[min_year]=2000', (each) => (number(each, 'year') ?? 0) >= 2_000],
  [
    'attr[year_min]=1990&attr[year_max]=2005',
    (each) => (number(each, 'year') ?? 0) >= 1_990 && (number(each, 'year') ?? 9_999) <= 2_005,
  ],
  ['attr[year]=2001', (each) => number(each, 'year') === 2_001],
  ['attr[max_length]=8.5', (each) => (number(each, 'length') ?? 99) <= 8.5],
  ['attr[length_min]=8.5&attr[length_max]=8.5', (each) => number(each, 'length') === 8.5],
  ['attr[min_cabins]=2', (each) => (number(each, 'cabins') ?? 0) >= 2],
  [
    'category=sailboats&attr[trailer_included]=true',
    (each) => inTree('cruising', 'racing')(each) && each.attributes?.['trailer_included'] === true,
  ],
  [
    `category=sailboats&attr[brand]=${encodeURIComponent('0% off "y')}`,
    (each) => inTree('cruising', 'racing')(each) && String(each.attributes?.['brand']).startsWith('50%'),
  ],
  ['category=sailboats&attr[brand]=.*', () => false],
  ['q=autopilot', ({ title, description }) => `${title} ${description}`.includes('autopilot')],
  ['q=%22yachts+with+tiller%22', ({ title }) => title.includes('Yachts with tiller')],
  [
    'q=tiller+-bavaria',
    ({ title, description }) => `${title} ${description}`.includes('tiller') && !/bavaria/i.test(title),
  ],
  [
    'q=halyard&category=sailboats&max_price=9000&shipping=false',
    (each) =>
      `${each.title} ${each.description}`.includes('halyard') &&
      inTree('cruising', 'racing')(each) &&
      (each.price_amount ?? 0) > 0 &&
      (each.price_amount ?? 0) <= 9_000 &&
      each.shipping === false,
  ],
  [
    'q=genoa&city=kiel',
    (each) => `${each.title} ${each.description}`.includes('genoa') && each.city?.toLowerCase() === 'kiel',
  ],
  ['q=genoa&attr[min_year]=2000&category=boats', () => false],
  [
    'q=genoa&attr[min_year]=2000',
    (each) => `${each.title} ${each.description}`.includes('genoa') && (number(each, 'year') ?? 0) >= 2_000,
  ],
];

const isFeatured = ({ premium_type: type, premium_until: until = '' }: StoredListing) =>
  type === 'featured' && until > '2030';
const descending = (a: number | string, b: number | string) => (a < b ? 1 : a > b ? -1 : 0);
const nullsLast = (key: 'year' | 'length') => (a: StoredListing, b: StoredListing) =>
  descending(number(a, key) ?? -1, number(b, key) ?? -1) || descending(a.id, b.id);
const newest = (a: StoredListing, b: StoredListing) =>
  descending(a.published_at ?? '', b.published_at ?? '') || descending(a.id, b.id);
const orders: Record<string, (a: StoredListing, b: StoredListing) => number> = {
  newest: (a, b) => Number(isFeatured(b)) - Number(isFeatured(a)) || newest(a, b),
  oldest: (a, b) => newest(b, a),
  price_asc: (a, b) => (a.price_amount ?? 0) - (b.price_amount ?? 0) || descending(b.id, a.id),
  price_desc: (a, b) => (b.price_amount ?? 0) - (a.price_amount ?? 0) || descending(a.id, b.id),
  year_desc: nullsLast('year'),
  length_desc: nullsLast('length'),
};

/** All pages of a search, followed to the end, with the total that every one of them told. */
async function collect(query: string, as = app.as(), limit = 7) {
  const ids: string[] = [];
  const totals = new Set<number>();
  for (let page = 1; page < 20; page += 1) {
    const { status, body } = await as.get(`/api/listings?${query}&page=${page}&limit=${limit}`);
    expect(status).toBe(200);
    ids.push(...body.results.map(({ id }: { id: string }) => id));
    totals.add(body.pagination.total);
    expect(body.pagination).toMatchObject({ page, limit, pages: Math.ceil(body.pagination.total / limit) });
    if (body.results.length < limit) break;
  }
  return { ids, totals: [...totals] };
}

describe.each(filters)('the filter %s', (query, matches) => {
  test('finds exactly the listings that fit, in every order and over all pages', async () => {
    const expected = all.filter(matches);
    for (const [sort, compare] of Object.entries(orders)) {
      const { ids, totals } = await collect(`${query}&sort=${sort}`);
      expect(ids, sort).toEqual(expected.toSorted(compare).map(({ id }) => id));
      expect(totals, sort).toEqual([expected.length]);
    }
    for (const sort of ['relevance', 'random&seed=monday']) {
      const { ids, totals } = await collect(`${query}&sort=${sort}`);
      expect(ids.toSorted(), sort).toEqual(expected.map(({ id }) => id).toSorted());
      expect(totals, sort).toEqual([expected.length]);
    }
  });
});

describe('order', () => {
  test('newest is the default of the nautical profile, also with q', async () => {
    for (const query of ['', 'q=genoa']) {
      const [plain, newestFirst] = await Promise.all([collect(query), collect(`${query}&sort=newest`)]);
      expect(plain.ids).toEqual(newestFirst.ids);
    }
  });

  test('relevance without q is newest', async () => {
    expect((await collect('sort=relevance')).ids).toEqual((await collect('sort=newest')).ids);
  });

  test('in relevance featured listings come first, then matches in the title, then the others', async () => {
    const { ids } = await collect('q=autopilot&sort=relevance');
    const rank = (id: string) => {
      const listing = all.find((each) => each.id === id)!;
      return (isFeatured(listing) ? 0 : 2) + (listing.title.includes('autopilot') ? 0 : 1);
    };
    expect(ids.map(rank)).toEqual(ids.map(rank).toSorted((a, b) => a - b));
    expect(new Set(ids.map(rank)).size).toBeGreaterThan(2);
  });

  test('random is another order for another seed and the same for the same one', async () => {
    const [monday, again, tuesday] = await Promise.all(
      ['monday', 'monday', 'tuesday'].map((seed) => collect(`sort=random&seed=${seed}`)),
    );
    expect(monday).toEqual(again);
    expect(monday?.ids).not.toEqual(tuesday?.ids);
  });

  test('a page past the end is empty and has the right pagination, however far', async () => {
    for (const query of ['', 'q=genoa&', 'city=kiel&', 'category=sailboats&min_price=1&']) {
      const { totals } = await collect(query);
      for (const page of [100, 1_000_000]) {
        const { body } = await app.as().get(`/api/listings?${query}&page=${page}&limit=10`);
        expect(body.results).toEqual([]);
        expect(body.pagination).toEqual({
          next_cursor: null,
          page,
          limit: 10,
          total: totals[0],
          pages: Math.ceil(totals[0]! / 10),
        });
      }
    }
  });
});

describe('warnings', () => {
  test.each([
    ['category=sailbaots', "There is no category 'sailbaots'."],
    ['country=XX', "There is no country 'XX'."],
    ['category=racing,nowhere', "There is no category 'nowhere'."],
    ['attr[nothing]=1', "The attribute filter 'nothing' is unknown and was ignored."],
    ['colour=red', "The query parameter 'colour' is unknown and was ignored."],
    ['category=sailboats&attr[colour]=red', "The attribute filter 'colour' is unknown in sailboats and was ignored."],
    [
      'category=sailboats&attr[min_brand]=1',
      "The attribute filter 'min_brand' is unknown in sailboats and was ignored.",
    ],
    ['q=%21%21', "There is no word to look for in '!!'."],
  ])('%s is told', async (query, warning) => {
    const { body } = await app.as().get(`/api/listings?${query}`);
    expect(body.warnings).toEqual([warning]);
  });

  test('there are none without a reason', async () => {
    expect(
      (await app.as().get('/api/listings?q=genoa&category=sailboats&attr[min_year]=1990')).body,
    ).not.toHaveProperty('warnings');
  });
});

describe('400', () => {
  test.each([
    ['country=DE,Germany', '/query/country/1'],
    ['condition=new&condition=broken', '/query/condition/1'],
    ['type=sale,', '/query/type/1'],
    ['category=', '/query/category/0'],
  ])('for one bad value in the list of %s', async (query, path) => {
    const { status, body } = await app.as().get(`/api/listings?${query}`);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
    expect(body.error.details.errors.map((each: { path: string }) => each.path)).toContain(path);
  });

  test.each(['attr[min_year]=new', 'attr[min_year]=1e9', 'category=sailboats&attr[trailer_included]=maybe'])(
    'when the value of %s does not fit',
    async (query) => {
      const { status, body } = await app.as().get(`/api/listings?${query}`);
      expect(status).toBe(400);
      expect(body.error.details.errors[0].path).toMatch(/^\/query\/attr\//);
    },
  );

  test('for more than twenty facets; twenty are counted', async () => {
    const names = ['category', 'condition', 'country', 'type', 'shipping', 'price'];
    const { body } = await app.as().get('/api/asset-types/boats');
    const keys = (body.attributes as { key: string; filterable: boolean }[]).filter(({ filterable }) => filterable);
    const facets = [...names, ...keys.map(({ key }) => `attr.${key}`)];
    const search = async (count: number) => app.as().get(`/api/listings?facets=${facets.slice(0, count).join(',')}`);
    expect(Object.keys((await search(20)).body.facets)).toHaveLength(20);
    expect((await search(21)).body.error.details.errors).toEqual([
      { path: '/query/facets', message: 'must be at most 20' },
    ]);
  });

  test.each([
    'limit=0',
    'limit=101',
    'page=0',
    'page=1e20',
    'min_price=-1',
    'condition=mint',
    'status=draft',
    'attr[a][b]=1',
    'sort=best',
  ])('for %s', async (query) => {
    const { status, body } = await app.as().get(`/api/listings?${query}`);
    expect(status).toBe(400);
    expect(body.error.code).toBe('validation_error');
  });
});

describe('hostile filters', () => {
  test('no key, value or text makes a new statement or an error', async () => {
    const hostile = [
      `x'--`,
      '$1',
      '__proto__',
      'min_$1',
      '"',
      '\\',
      '%',
      ')',
      '\u{1F600}',
      "'; drop table listings; --",
      '(((',
      '<->',
      ':*',
      '& | !',
      '"unclosed',
    ];
    for (const text of hostile) {
      const value = encodeURIComponent(text);
      for (const query of [
        `q=${value}`,
        `city=${value}`,
        `seller_id=${value}`,
        `category=${value}`,
        `category=sailboats&attr[brand]=${value}`,
        `category=sailboats&attr[${value}]=1`,
      ]) {
        const { status } = await app.as().get(`/api/listings?${query}`);
        expect([query, status]).toEqual([query, 200]);
      }
    }
  });
});

test('503 in the envelope, with Retry-After, when the database ends a search that takes too long', async () => {
  const { pool } = app.database;
  const blocker = await pool.connect();
  await blocker.query('begin; lock table listings in access exclusive mode');
  const answer = app.as().get('/api/listings?sort=oldest');
  // What the statement timeout does, sooner: the same error from the same place.
  for (let ended = 0; ended === 0;) {
    const { rowCount } = await pool.query(
      `select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'quayside-api' and wait_event_type = 'Lock' and datname = current_database()`,
    );
    ended = rowCount ?? 0;
  }
  const { status, headers, body } = await answer;
  await blocker.query('rollback');
  blocker.release();
  expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '2']);
});
