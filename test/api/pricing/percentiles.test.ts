import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
import { readBoats } from '../../bench/dataset-rows.ts';
import { startApp, type Json, type TestApp } from '../../support/app.ts';
import { dataFile } from '../../support/data.ts';
import { setRates } from '../../support/rates.ts';

const specs = dataFile('boats-boat24-2022-specs/boat24_specs.dev.csv.gz');

type Boat = {
  category_id: string;
  condition: string;
  price: number;
  currency: string;
  brand: string;
  year: number | null;
  length: number | null;
};

let app: TestApp;
const recommend = async (query: string): Promise<Json> =>
  (await app.as().get(`/api/pricing/recommend?${encodeURI(query)}`)).body;

beforeAll(async () => {
  app = await startApp();
  // Currencies without a rate stay apart: each market is measured by itself.
  await setRates(app, { ZAR: 20 });
});
afterAll(() => app.close());

describe.skipIf(!specs)('the prices of a real market', () => {
  let boats: Boat[];

  beforeAll(async () => {
    boats = readBoats(gunzipSync(readFileSync(specs ?? '')).toString('utf8')).map((row) => ({
      category_id: row['base_type'] === 'Sailboat' ? 'cruising' : 'motor-yachts',
      condition: row['condition'] === 'new' ? 'new' : row['condition'] === 'used' ? 'good' : 'fair',
      price: Number(row['price']) || 0,
      currency: { C: 'CHF', U: 'USD', D: 'DKK', S: 'SEK', '£': 'GBP' }[row['currency'] ?? ''] ?? 'EUR',
      brand: row['type']?.trim() ?? '',
      year: Number(row['year']) || null,
      length: Number(row['length']) || null,
    }));
    const seller = await app.createUser();
    const { pool } = app.database;
    // What finds listings by their words is nothing to their prices.
    for (const trigger of ['listings_words', 'listings_suggested_on_insert'])
      await pool.query(`alter table listings disable trigger ${trigger}`);
    await pool.query(
      `insert into listings (id, slug, seller_id, category_id, status, type, condition, title, price_amount, price_currency, country, city,
         source, language, created_at, updated_at, expires_at, description, attributes, year, length_m)
       select b.id, lower(replace(b.id, '_', '-')), $1, b.category_id, 'active', 'sale', b.condition, 'A boat', b.price, b.currency, 'DE', 'Kiel',
         'api', 'en', '2025-01-01', '2025-01-01', '2099-01-01', 'A boat that nobody says anything about.', jsonb_build_object('brand', b.brand), b.year, b.length
       from jsonb_to_recordset($2::jsonb) as b
         (id text, category_id text, condition text, price float8, currency text, brand text, year smallint, length real)`,
      [seller.id, JSON.stringify(boats.map((boat) => ({ id: newId('listing'), ...boat })))],
    );
  });

  test.each<[string, string, (boat: Boat) => boolean]>([
    ['sailing yachts', 'category=cruising&currency=EUR', (boat) => isIn(boat, 'cruising', 'EUR')],
    ['in francs', 'category=cruising&currency=CHF', (boat) => isIn(boat, 'cruising', 'CHF')],
    ['motor yachts', 'category=motor-yachts', (boat) => isIn(boat, 'motor-yachts', 'EUR')],
    [
      'new ones',
      'category=motor-yachts&condition=new',
      (boat) => isIn(boat, 'motor-yachts', 'EUR') && boat.condition === 'new',
    ],
    [
      'of some years',
      'category=cruising&attr[min_year]=1985&attr[max_year]=1995',
      (boat) => isIn(boat, 'cruising', 'EUR') && (boat.year ?? 0) >= 1985 && (boat.year ?? 0) <= 1995,
    ],
    [
      'of a length',
      'category=sailboats&attr[min_length]=9.5&attr[max_length]=10.5',
      (boat) => isIn(boat, 'cruising', 'EUR') && (boat.length ?? 0) >= 9.5 && (boat.length ?? 0) <= 10.5,
    ],
    [
      'of a kind',
      'category=sailboats&attr[brand]=catamaran',
      (boat) => isIn(boat, 'cruising', 'EUR') && /catamaran/i.test(boat.brand),
    ],
  ])('%s are those of another computation', async (_, query, belongs) => {
    const prices = boats
      .filter(belongs)
      .map(({ price }) => price)
      .toSorted((a, b) => a - b);
    expect(prices.length).toBeGreaterThan(30);
    const spread = quantile(prices, 0.75) - quantile(prices, 0.25);
    const inliers = prices.filter(
      (price) => price >= quantile(prices, 0.25) - 1.5 * spread && price <= quantile(prices, 0.75) + 1.5 * spread,
    );
    const { sample_size, min, max, mean, median, percentiles, recommended, widened } = await recommend(query);
    expect({ sample_size, widened }).toEqual({ sample_size: prices.length, widened: [] });
    const found = [
      min,
      max,
      mean,
      median,
      ...Object.values<number>(percentiles),
      ...Object.values<number>(recommended),
    ];
    const expected = [
      prices[0] ?? 0,
      prices.at(-1) ?? 0,
      prices.reduce((sum, price) => sum + price, 0) / prices.length,
      quantile(prices, 0.5),
      ...[0.1, 0.25, 0.75, 0.9].map((share) => quantile(prices, share)),
      ...[0.25, 0.5, 0.75].map((share) => quantile(inliers, share)),
    ];
    for (const [index, value] of expected.entries()) expect(Math.abs(found[index]! / value - 1)).toBeLessThan(0.0001);
  });
});

describe('the prices of very many listings', () => {
  const COUNT = 90_000;

  beforeAll(async () => {
    const client = await app.database.pool.connect();
    try {
      // Only what prices are read from: no listing is behind them.
      await client.query('set session_replication_role = replica');
      await client.query(
        `insert into listing_prices (listing_id, category_id, currency, price, condition, country, year)
         select 'lst_' || md5(n::text), 'jon-boats', case when n % 3 = 0 then 'USD' else 'EUR' end, n,
           case when n % 2250 < 2 then 'new' else 'good' end, case when n % 6 < 2 then 'FR' else 'DE' end, case when n % 18000 = 1 then 1999 else 2000 + n % 20 end
         from generate_series(1, $1::int) as n`,
        [COUNT],
      );
      await client.query(`insert into listing_price_currencies values ('jon-boats', 'EUR'), ('jon-boats', 'USD')`);
    } finally {
      await client.query('set session_replication_role = origin');
      client.release();
    }
  });

  test('are those of a sample, the same one each time', async () => {
    const first = await recommend('category=jon-boats');
    expect(first.currency).toBe('EUR');
    expect(first.sample_size).toBeGreaterThan(35_000);
    expect(first.sample_size).toBeLessThan(45_000);
    expect(Math.abs(first.median / (COUNT / 2) - 1)).toBeLessThan(0.02);
    expect(Math.abs(first.percentiles.p90 / (COUNT * 0.9) - 1)).toBeLessThan(0.02);
    app.services.cache.clear();
    expect(await recommend('category=jon-boats')).toMatchObject({
      sample_size: first.sample_size,
      median: first.median,
    });
    const euros = await recommend('category=jon-boats&currency=EUR');
    expect(euros.sample_size).toBeGreaterThan(35_000);
    expect(Math.abs(euros.median / (COUNT / 2) - 1)).toBeLessThan(0.02);
  });

  test('are those of either of two currencies that are as frequent', async () => {
    const { currency, sample_size, median } = await recommend('category=jon-boats&country=FR');
    expect(['EUR', 'USD']).toContain(currency);
    expect(sample_size).toBeGreaterThan(5_000);
    expect(Math.abs(median / (COUNT / 2) - 1)).toBeLessThan(0.04);
  });

  test('are those of all where few pass the filters', async () => {
    expect(await recommend('category=jon-boats&condition=new')).toMatchObject({ sample_size: 40, widened: [] });
    expect(await recommend('category=jon-boats&condition=new&currency=USD')).toMatchObject({ sample_size: 40 });
    expect(await recommend('category=jon-boats&attr[max_year]=1999')).toMatchObject({ sample_size: 5, widened: [] });
    expect(await recommend('category=jon-boats&attr[max_year]=1999&condition=new')).toMatchObject({
      sample_size: 5,
      widened: [],
    });
  });

  test('are those of a larger sample where a part of it passes', async () => {
    const { sample_size, median } = await recommend('category=jon-boats&attr[min_year]=2019&currency=EUR');
    expect(sample_size).toBeGreaterThan(2_900);
    expect(Math.abs(median / (COUNT / 2) - 1)).toBeLessThan(0.04);
  });
});

const isIn = (boat: Boat, category: string, currency: string) =>
  boat.category_id === category && boat.currency === currency && boat.price > 0;

/** The value at a share of sorted numbers, between two of them in proportion. */
function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place - Math.floor(place));
}
