import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { matchListings } from '../../../shared/saved-searches/match.ts';
import { toQueryString, type SavedQuery } from '../../../shared/saved-searches/query.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { setRates } from '../../support/rates.ts';
import { storeListings, type Fields, type StoredListing } from '../listings/search-fixture.ts';
import { times } from '../../support/lane.ts';

const SEARCHES = times(120, 600);
const LISTINGS = 60;

let app: TestApp;
let sellers: TestUser[];
let listings: StoredListing[];
beforeAll(async () => {
  app = await startApp();
  // The krona has no rate.
  await setRates(app, { USD: 1.25 });
  sellers = [await app.createUser(), await app.createUser()];
  const [first, second] = fc.sample(fc.array(listing, { minLength: LISTINGS / 2, maxLength: LISTINGS / 2 }), {
    numRuns: 2,
    seed: SEED,
  }) as [Fields[], Fields[]];
  listings = [...(await storeListings(app, sellers[0]!, first)), ...(await storeListings(app, sellers[1]!, second))];
});
afterAll(() => app.close());

const SEED = Number(process.env['FC_SEED'] ?? 20_251_004);

const words = [
  'Bavaria',
  'Hanse',
  'Hallberg-Rassy',
  'Cruiser',
  'teak deck',
  'new engine',
  'à voile',
  "O'Day",
  'Jeanneau',
];
const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((some) => some.join(' and '));
const places = [
  { country: 'DE', city: 'Kiel', lat: 54.32, lng: 10.14 },
  { country: 'DE', city: 'Flensburg', lat: 54.79, lng: 9.43 },
  { country: 'DK', city: 'Århus', lat: 56.15, lng: 10.2 },
  { country: 'FJ', city: 'Suva', lat: -18.14, lng: 178.44 },
  { country: 'FR', city: 'Brest', lat: undefined, lng: undefined },
];
const attributes = fc.record(
  {
    brand: fc.constantFrom('Bavaria', 'Hanse', 'HALLBERG-Rassy', 'Å"x\\y'),
    year: fc.integer({ min: 1990, max: 2010 }),
    length: fc.constantFrom(9.5, 11.99, 12, 14.25),
    boat_type: fc.constantFrom('sailboat', 'Motor yacht'),
    berths: fc.constantFrom(2, 4, 6),
    model: fc.constantFrom('37 Cruiser', 46),
  },
  { requiredKeys: [] },
);
const categories = ['sailboats', 'cruising', 'motorboats', 'engines', 'nautical-equipment'];
const conditions = ['new', 'good', 'poor'] as const;
const prices = [0, 999.99, 1_000, 25_000, 80_000];

const listing: fc.Arbitrary<Fields> = fc
  .record({
    title: text,
    description: text.map((some) => `This one has ${some}, and it is worth a visit.`),
    tags: fc.constantFrom<string[]>([], ['regatta'], ['bluewater', 'Teak']),
    category_id: fc.constantFrom(...categories),
    status: fc.constantFrom('active', 'active', 'active', 'active', 'paused'),
    type: fc.constantFrom('sale', 'sale', 'wanted'),
    condition: fc.constantFrom(...conditions),
    price_amount: fc.constantFrom(...prices),
    price_currency: fc.constantFrom('EUR', 'EUR', 'USD', 'SEK'),
    shipping: fc.boolean(),
    attributes,
    place: fc.constantFrom(...places),
    day: fc.integer({ min: 1, max: 28 }),
  })
  .map(({ place, day, ...rest }) => ({
    ...rest,
    ...place,
    created_at: new Date(Date.UTC(2025, 5, day)).toISOString(),
  }));

const search = fc.record({
  q: fc.constantFrom(
    'bavaria',
    'Cruisers',
    'hallberg rassy',
    '"teak deck"',
    'bavaria or hanse',
    'teak -engine',
    '-bavaria',
    'bavarai',
    'jeanneau bavarai or engine',
    'the',
    'A VOILE',
    "o'day",
    'regatta',
    '""" -( !!!',
    ' ',
  ),
  category: fc.constantFrom(...categories, 'boats', 'no-such-category', `${categories[0]},${categories[1]}`, [
    ...categories,
    'no-such-category',
  ]),
  seller_id: fc.oneof(
    fc.nat(2).map((index) => sellers[index]?.id ?? 'usr_nobody'),
    fc.constant(0).map(() => [...sellers.map(({ id }) => id), 'usr_nobody']),
  ),
  min_price: fc.constantFrom(...prices),
  max_price: fc.constantFrom(...prices),
  include_unpriced: fc.boolean(),
  currency: fc.constantFrom('EUR', 'usd', 'SEK'),
  condition: fc.oneof(fc.constantFrom(...conditions), fc.subarray([...conditions], { minLength: 1 })),
  country: fc.constantFrom('DE', 'dk', 'FJ', 'XX', 'DE,dk', ['FJ', 'DE', 'DE']),
  city: fc.constantFrom('kiel', ' FLENSBURG ', 'århus', 'ÅRHUS', 'Nowhere'),
  shipping: fc.boolean(),
  type: fc.constantFrom('sale', 'wanted', 'wanted,sale'),
  status: fc.constantFrom('active', 'all', 'paused'),
  attr: fc.oneof(
    fc.record(
      {
        brand: fc.constantFrom('bav', 'HANSE', 'å"X\\', 'y', 'rassy', 'bav,rassy', ['HANSE', 'y']),
        min_year: fc.constantFrom(1_995, '2000', 2_010),
        year_max: fc.constantFrom(2_000, 2_005.5),
        length: fc.constantFrom(11.99, '12'),
        length_min: fc.constantFrom(11.99, 13),
        min_berths: fc.constantFrom(3, 4),
        boat_type: fc.constant('yacht'),
        model: fc.constantFrom('cruiser', '46'),
        unheard_of: fc.constant(true),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.constant({ min_berths: 'many' }),
  ),
  'attr[max_year]': fc.constantFrom(2_003, '2007'),
  near: fc.constantFrom('54.5,9.9', '-18,-179.9', '91,0'),
  radius_km: fc.constantFrom(40, 60, 400),
  bbox: fc.constantFrom('9,54,11,55', '170,-20,-170,-10', '0,-90,0,90'),
  updated_since: fc.constantFrom('2025-06-10T00:00:00Z', '2025-06-20T12:00:00+02:00'),
});

/** Few filters each: many together find nothing. */
const someOf = fc.tuple(search, fc.array(fc.nat(99), { minLength: 30, maxLength: 30 })).map(([all, chances]) => {
  const kept = Object.entries(all).filter((_, index) => (chances[index] ?? 0) < 14);
  return Object.fromEntries(kept) as SavedQuery;
});

describe('a saved search', () => {
  test('fits exactly the active listings that GET /api/listings finds with the same filters', async () => {
    const queries = fc.sample(someOf, { numRuns: SEARCHES, seed: SEED });
    const saved = new Map<string, { query: SavedQuery; expected: string[] }>();
    const active = new Set(listings.filter(({ status }) => status === 'active').map(({ id }) => id));
    const watchers = [await app.createUser(), await app.createUser()];
    const compare = async (query: SavedQuery, index: number) => {
      const [asked, reply] = await Promise.all([
        app.as().get(`/api/listings?limit=100&${toQueryString(query)}`),
        app.as(watchers[index % watchers.length]).post('/api/me/saved-searches', { name: 'x', query_params: query }),
      ]);
      if (asked.status === 400) {
        const { message, details } = asked.body.error;
        const placed = JSON.parse(JSON.stringify(details).replaceAll('/query/', '/body/query_params/'));
        expect(reply.body.error).toEqual({ code: 'validation_error', message, details: placed });
        return;
      }
      expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
      const isNews = query.status !== 'paused';
      if (isNews) expect(reply.body.warnings).toEqual(asked.body.warnings);
      const shown = (asked.body.results as { id: string }[]).map(({ id }) => id);
      saved.set(reply.body.id, { query, expected: shown.filter((id) => isNews && active.has(id)) });
    };
    for (let start = 0; start < SEARCHES; start += 8)
      await Promise.all(queries.slice(start, start + 8).map((query, index) => compare(query, index)));
    expect(saved.size).toBeGreaterThan(SEARCHES / 2);

    const candidates = listings.map(({ id }) => ({ listing_id: id, reason: 'new' as const }));
    await inTransaction(app.services.db, (tx) => matchListings(tx, app.services, app.services.clock.now(), candidates));
    const { rows } = await app.database.pool.query<{ saved_search_id: string; listing_id: string }>(
      'select saved_search_id, listing_id from saved_search_matches',
    );
    const matches = Map.groupBy(rows, (row) => row.saved_search_id);
    const differing = [];
    let found = 0;
    for (const [id, { query, expected }] of saved) {
      const actual = (matches.get(id) ?? []).map(({ listing_id }) => listing_id);
      found += actual.length;
      if (expected.toSorted().join() !== actual.toSorted().join()) differing.push({ query, expected, actual });
    }
    expect(differing).toEqual([]);
    expect(found).toBeGreaterThan(SEARCHES / 2);
  });
});
