import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from './search-fixture.ts';

let app: TestApp;
let seller: TestUser;

const categories = ['cruising', 'racing', 'bowriders'];
const brands = ['Bavaria', 'BAVARIA', 'Hanse', 'Najad', undefined];

const variety = (index: number) => ({
  title: index % 4 === 0 ? `Cutter ${index}` : `Sloop ${index}`,
  category_id: categories[index % 7 === 0 ? 2 : index % 2]!,
  condition: index % 3 === 0 ? 'new' : 'good',
  country: index % 4 === 1 ? 'NL' : 'DE',
  type: index % 9 === 0 ? 'wanted' : 'sale',
  shipping: index % 2 === 0,
  price_amount: index * 100,
  status: index % 11 === 10 ? 'sold' : 'active',
  lat: 54 + (index % 3),
  lng: 10,
  attributes: {
    ...(brands[index % 5] !== undefined && { brand: brands[index % 5] }),
    year: 1990 + (index % 8),
    ...(index % 3 > 0 && { length: 8.49 + (index % 5) }),
    ...(index % 4 === 0 && { berths: 2 + (index % 3) }),
    trailer_included: index % 2 === 0,
  },
});
const all = Array.from({ length: 90 }, (_, index) => variety(index));
const active = all.filter(({ status }) => status === 'active');

beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser({ name: 'Seller' });
  await storeListings(app, seller, all);
});
afterAll(() => app.close());

type Facets = Record<string, { value: string; count: number; label?: string }[]>;

async function facetsOf(query: string): Promise<Facets> {
  // Who is known is not answered from the cache.
  const { status, body } = await app.as(seller).get(`/api/listings?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  const { facets, facets_approximate: approximate } = body as { facets: Facets; facets_approximate?: string[] };
  expect(approximate).toBeUndefined();
  return facets;
}

type Fields = ReturnType<typeof variety>;

function tally(fields: Fields[], value: (each: Fields) => string | undefined): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const each of fields) {
    const key = value(each);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .map(([key, count]) => ({ value: key, count }))
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

const values: Record<string, (each: Fields) => string | undefined> = {
  category: (each) => each.category_id,
  condition: (each) => each.condition,
  country: (each) => each.country,
  type: (each) => each.type,
  shipping: (each) => String(each.shipping),
  'attr.brand': (each) => (each.attributes.brand === 'BAVARIA' ? 'Bavaria' : each.attributes.brand),
};

const filters: Record<string, (each: Fields) => boolean> = {
  'category=sailboats': (each) => each.category_id !== 'bowriders',
  'condition=new': (each) => each.condition === 'new',
  'condition=new,good': () => true,
  'country=NL,DE': () => true,
  'country=NL': (each) => each.country === 'NL',
  'type=wanted': (each) => each.type === 'wanted',
  'shipping=true': (each) => each.shipping,
  'min_price=2000': (each) => each.price_amount >= 2_000,
  'q=cutter': (each) => each.title.startsWith('Cutter'),
  'near=54,10&radius_km=150': (each) => each.lat < 56,
  'bbox=9,53,11,54.5': (each) => each.lat < 54.5,
  'attr[min_year]=1993': (each) => each.attributes.year >= 1993,
  'attr[brand]=bavaria': (each) => each.attributes.brand?.toLowerCase() === 'bavaria',
};
const ownFilter: Record<string, string> = {
  category: 'category=sailboats',
  condition: 'condition=new',
  country: 'country=NL',
  type: 'type=wanted',
  shipping: 'shipping=true',
  'attr.brand': 'attr[brand]=bavaria',
};

const combinations = [
  [],
  ...Object.keys(filters).map((filter) => (filter.startsWith('attr') ? ['category=sailboats', filter] : [filter])),
  ['category=sailboats', 'condition=new', 'country=NL'],
  ['condition=new,good', 'country=NL,DE', 'type=wanted'],
  ['category=sailboats', 'min_price=2000', 'condition=new', 'shipping=true'],
  ['q=cutter', 'category=sailboats', 'shipping=true'],
  ['q=cutter', 'near=54,10&radius_km=150', 'condition=new'],
  ['near=54,10&radius_km=150', 'category=sailboats', 'attr[brand]=bavaria', 'country=NL'],
];

test.each(combinations)('facets count every match, each without its own filter: %s %s %s %s', async (...asked) => {
  const own = asked.filter((filter) => filter !== undefined);
  const names = Object.keys(values);
  const facets = await facetsOf(`${own.join('&')}&facets=${names.join(',')}&limit=1`);
  for (const name of names) {
    const others = own.filter(
      (filter) => !filter.startsWith(ownFilter[name]!.split('=')[0]!) || filter.includes('min_year'),
    );
    const matching = active.filter((each) => others.every((filter) => filters[filter]!(each)));
    const found = facets[name]?.map(({ value, count }) => ({ value, count }));
    const comparable =
      name === 'attr.brand'
        ? found?.map((each) => ({ ...each, value: each.value === 'BAVARIA' ? 'Bavaria' : each.value }))
        : found;
    expect(comparable?.toSorted(byCount), name).toEqual(tally(matching, values[name]!));
  }
});

const byCount = (a: { value: string; count: number }, b: { value: string; count: number }) =>
  b.count - a.count || (a.value < b.value ? -1 : 1);

type Histogram = { min: number | null; max: number | null; buckets: { from: number; to: number; count: number }[] };

const numbers: Record<string, (each: Fields) => number | undefined> = {
  price: (each) => each.price_amount || undefined,
  'attr.year': (each) => each.attributes.year,
  'attr.length': (each) => each.attributes.length,
  'attr.berths': (each) => each.attributes.berths,
};
const ownRange: Record<string, string> = { price: 'min_price=2000', 'attr.year': 'attr[min_year]=1993' };

test.each(combinations)(
  'histograms count every match by its number, without their own filter: %s %s %s %s',
  async (...asked) => {
    const own = asked.filter((filter) => filter !== undefined);
    const found = (await facetsOf(
      `${own.join('&')}&facets=${Object.keys(numbers).join(',')}&limit=1`,
    )) as never as Record<string, Histogram>;
    for (const [name, valueOf] of Object.entries(numbers)) {
      const others = own.filter((filter) => filter !== ownRange[name]);
      const matching = active.filter((each) => others.every((filter) => filters[filter]!(each)));
      const values = matching.map(valueOf).filter((value) => value !== undefined);
      const { min, max, buckets } = found[name]!;
      expect([min, max], name).toEqual(values.length > 0 ? [Math.min(...values), Math.max(...values)] : [null, null]);
      for (const [index, { from, to, count }] of buckets.entries()) {
        expect(count, `${name} from ${from} to ${to}`).toBe(
          values.filter((value) => value >= from && value < to).length,
        );
        expect(to).toBe(buckets[index + 1]?.from ?? to);
      }
      expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
    }
  },
);

test('a histogram without a match has no bounds and no buckets', async () => {
  const facets = await facetsOf('city=Nowhere&facets=price,attr.year');
  const nothing = { min: null, max: null, buckets: [] };
  expect(facets).toEqual({ price: nothing, 'attr.year': nothing });
  expect(await facetsOf('category=nowhere&facets=price')).toEqual({ price: nothing });
});

test('categories come with their names, values by frequency, and no more of them than asked for', async () => {
  const facets = await facetsOf('facets=category,attr.trailer_included&facet_limit=2&lang=de');
  expect(facets['category']).toHaveLength(2);
  expect(facets['category']?.[0]?.label).toEqual(expect.any(String));
  expect(facets['category']?.[0]?.label).not.toBe(facets['category']?.[0]?.value);
  expect(facets['attr.trailer_included']?.map(({ value }) => value).toSorted()).toEqual(['false', 'true']);
});

test('facets count what a mistyped word was corrected to', async () => {
  const facets = await facetsOf('q=cuttter&facets=country');
  expect(facets['country']).toEqual(
    tally(
      active.filter(({ title }) => title.startsWith('Cutter')),
      values['country']!,
    ),
  );
});

test('kept counts follow every change, before and after they are folded', async () => {
  const total = async () => {
    const facets = await facetsOf('facets=country&country=DE');
    return Object.fromEntries(facets['country']!.map(({ value, count }) => [value, count]));
  };
  const before = await total();
  const { pool } = app.database;
  const [first] = await storeListings(app, seller, [{ country: 'SE' }, { country: 'SE' }]);
  expect((await total())['SE']).toBe(2);
  await pool.query(`update listings set country = 'FI' where id = $1`, [first!.id]);
  await pool.query('select fold_facet_counts()');
  expect(await total()).toEqual({ ...before, SE: 1, FI: 1 });
  await pool.query(`update listings set status = 'paused' where id = $1`, [first!.id]);
  expect(await total()).toEqual({ ...before, SE: 1 });
  await pool.query(`delete from listings where country in ('SE', 'FI')`);
  await pool.query('select fold_facet_counts()');
  expect(await total()).toEqual(before);
  const { rows } = await pool.query('select from listing_facet_deltas');
  expect(rows).toEqual([]);
});

describe('fields', () => {
  test('a result has only the fields asked for, and its id', async () => {
    const { body } = await app.as().get('/api/listings?fields=title,price&limit=3');
    const { results } = body as { results: object[] };
    expect(results).toHaveLength(3);
    for (const result of results) expect(Object.keys(result)).toEqual(['id', 'title', 'price']);
  });

  test('Markdown ignores fields and facets', async () => {
    const [plain, trimmed] = await Promise.all(
      ['limit=3', 'limit=3&fields=id&facets=country'].map((query) => app.as().get(`/api/listings.md?${query}`)),
    );
    expect(trimmed?.status).toBe(200);
    expect(trimmed?.text.split('## ').length).toBe(plain?.text.split('## ').length);
  });
});

test('updated_since finds what was changed then or later', async () => {
  await storeListings(app, seller, [
    { title: 'Changed before', updated_at: '2026-01-01T00:00:00Z' },
    { title: 'Changed then', updated_at: '2026-01-02T00:00:00Z' },
    { title: 'Changed later', updated_at: '2026-01-03T00:00:00Z' },
  ]);
  const { body } = await app.as().get('/api/listings?updated_since=2026-01-02T00:00:00Z&sort=updated_asc');
  const { results, pagination } = body as { results: { title: string }[]; pagination: { total: number } };
  expect(results.map(({ title }) => title)).toEqual(['Changed then', 'Changed later']);
  expect(pagination.total).toBe(2);
});
