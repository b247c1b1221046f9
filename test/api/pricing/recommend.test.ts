import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { at, storeGroup, storePriced } from '../../support/pricing.ts';
import { setRates } from '../../support/rates.ts';

const NOW = new Date('2025-06-01T12:00:00.000Z');

describe('the price that is recommended', () => {
  let app: TestApp;
  let seller: TestUser;

  const recommend = async (query: string): Promise<Json> => {
    const { status, body } = await app.as().get(`/api/pricing/recommend?${query}`);
    expect(status).toBe(200);
    return body;
  };
  const store = (priced: Parameters<typeof storePriced>[2]) => storePriced(app, seller, priced);

  beforeAll(async () => {
    app = await startApp({ clock: { now: () => NOW } });
    seller = await app.createUser();
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    await app.database.pool.query('delete from dedup_groups');
    await app.database.pool.query('delete from listings');
    await setRates(app, { SEK: 11 });
  });

  test('is null in every number, with confidence none, where nothing has a price', async () => {
    await store([
      ...at([0]),
      { price_amount: 100, type: 'wanted' },
      ...['draft', 'paused', 'flagged', 'deleted'].map((status) => ({ price_amount: 100, status })),
    ]);
    expect(await recommend('category=cruising&condition=good')).toEqual({
      category: 'cruising',
      condition: 'good',
      currency: null,
      sample_size: 0,
      min: null,
      max: null,
      mean: null,
      median: null,
      percentiles: { p10: null, p25: null, p75: null, p90: null },
      recommended: { low: null, fair: null, high: null },
      confidence: 'none',
      conversion: null,
      widened: [],
      note: expect.any(String),
      comparables: [],
      generated_at: NOW.toISOString(),
    });
  });

  test('interpolates percentiles', async () => {
    await store(at([100, 200, 300, 400]));
    expect(await recommend('category=cruising')).toMatchObject({
      condition: null,
      currency: 'EUR',
      sample_size: 4,
      min: 100,
      max: 400,
      mean: 250,
      median: 250,
      percentiles: { p10: 130, p25: 175, p75: 325, p90: 370 },
      recommended: { low: 175, fair: 250, high: 325 },
      confidence: 'low',
      note: expect.stringContaining('4'),
    });
  });

  test('leaves outliers out, which all other numbers have in them', async () => {
    await store(at([100, 110, 120, 130, 140, 5_000]));
    expect(await recommend('category=cruising')).toMatchObject({
      sample_size: 6,
      max: 5_000,
      median: 125,
      recommended: { low: 110, fair: 120, high: 130 },
    });
  });

  test('counts a price at the very bound of the outliers, above and below', async () => {
    // The quartiles are 4 and 6: bounds of 1 and 9.
    await store(at([1, 4, 5, 6, 9]));
    expect((await recommend('category=cruising')).recommended).toEqual({ low: 4, fair: 5, high: 6 });
    await app.database.pool.query('update listings set price_amount = 0.9 where price_amount = 1');
    app.services.cache.clear();
    expect((await recommend('category=cruising')).recommended).toEqual({ low: 4.75, fair: 5.5, high: 6.75 });
  });

  test('takes the price something was sold for, in the currency it was sold in', async () => {
    await store([
      ...at([1_000, 1_000]),
      { price_amount: 9_000, sale_price: 1_000, sale_currency: 'EUR' },
      { price_amount: 1_000, sale_price: 7_777, sale_currency: 'USD' },
      { price_amount: 1_000, status: 'sold' },
      { price_amount: 5_000, sale_price: 0, sale_currency: 'EUR' },
    ]);
    expect(await recommend('category=cruising')).toMatchObject({ sample_size: 4, currency: 'EUR', max: 1_000 });
    expect(await recommend('category=cruising&currency=usd')).toMatchObject({ sample_size: 1, max: 7_777 });
  });

  test('counts what expired within 90 days, and shows none of it', async () => {
    await store([
      ...at([100, 100]),
      { price_amount: 100, status: 'expired', expires_at: '2025-03-03T12:00:01.000Z' },
      { price_amount: 900, status: 'expired', expires_at: '2025-03-03T12:00:00.000Z' },
    ]);
    const body = await recommend('category=cruising');
    expect(body).toMatchObject({ sample_size: 3, max: 100 });
    expect(body.comparables.map(({ status }: Json) => status)).toEqual(['active', 'active']);
  });

  test('without a currency mixes none: it is the one that most listings have', async () => {
    await store([...at([10, 20, 30], { price_currency: 'USD' }), ...at([1_000, 2_000, 3_000, 4_000])]);
    const body = await recommend('category=cruising');
    expect(body).toMatchObject({ currency: 'EUR', sample_size: 4, conversion: null, min: 1_000 });
  });

  test('converts other currencies to the one asked for, and says so; those without a rate do not count', async () => {
    await setRates(app, { USD: 2, JPY: 100 });
    await store([
      ...at([10, 20, 30], { price_currency: 'USD' }),
      ...at([1_000, 2_000, 3_000, 4_000]),
      ...at([7], { price_currency: 'CHF' }),
    ]);
    const conversion = { sample_size: 4, rate_date: '2026-11-20' };
    const inDollars = { currency: 'USD', sample_size: 7, conversion, min: 10, median: 2_000, max: 8_000 };
    expect(await recommend('category=cruising&currency=USD')).toMatchObject(inDollars);
    expect(await recommend('category=cruising&currency=JPY')).toMatchObject({
      currency: 'JPY',
      min: 500,
      max: 400_000,
    });
    expect(await recommend('category=cruising&currency=CHF')).toMatchObject({
      currency: 'CHF',
      sample_size: 1,
      conversion: null,
      max: 7,
    });
  });

  test('says nothing of a conversion when all prices are in the currency asked for', async () => {
    await store(at([1_000, 2_000, 3_000]));
    expect(await recommend('category=cruising&currency=EUR')).toMatchObject({ sample_size: 3, conversion: null });
  });

  test('gives one vote to a duplicate group whose listings are in two currencies', async () => {
    await setRates(app, { USD: 2 });
    const stored = await store([...at([100]), ...at([200], { price_currency: 'USD' }), ...at([300])]);
    await storeGroup(app, 'ddg_two', 'detected', [stored[0]!.id, stored[1]!.id]);
    expect(await recommend('category=cruising&currency=EUR')).toMatchObject({ sample_size: 2 });
  });

  test('gives one vote to a duplicate group, that of its newest listing, unless the group was rejected', async () => {
    const ids = (await store(at([100, 200, 300, 400, 500, 600]))).map(({ id }) => id);
    await storeGroup(app, 'ddg_one', 'detected', ids.slice(0, 3));
    await storeGroup(app, 'ddg_two', 'rejected', ids.slice(3, 5));
    expect(await recommend('category=cruising')).toMatchObject({ sample_size: 4, min: 300 });
    await app.database.pool.query(`update dedup_groups set status = 'merged' where id = 'ddg_two'`);
    app.services.cache.clear();
    expect(await recommend('category=cruising')).toMatchObject({ sample_size: 3, min: 300 });
    await app.database.pool.query(`delete from dedup_groups`);
    app.services.cache.clear();
    expect(await recommend('category=cruising')).toMatchObject({ sample_size: 6, min: 100 });
  });

  test('counts votes, not listings, when it looks whether there are enough', async () => {
    const ids = (await store(at([100, 100, 100], { condition: 'new' }))).map(({ id }) => id);
    await store(at([500, 500]));
    await storeGroup(app, 'ddg_one', 'detected', ids);
    expect(await recommend('category=cruising&condition=new')).toMatchObject({
      sample_size: 3,
      widened: ['condition'],
    });
  });

  test('includes the categories below', async () => {
    await store([...at([100, 200], { category_id: 'cruising' }), ...at([300], { category_id: 'sailboats' })]);
    expect(await recommend('category=sailboats')).toMatchObject({ sample_size: 3 });
    expect(await recommend('category=cruising')).toMatchObject({ sample_size: 2 });
  });

  test('narrows by condition, brand, model, year, length, country and other attributes', async () => {
    const attributes = {
      brand: 'Hallberg-Rassy',
      model: '36 Mk II',
      year: 1999,
      length: 11.02,
      material: 'fiberglass',
    };
    await store([
      ...at([100, 110, 120], { attributes, condition: 'fair', country: 'SE' }),
      ...at([900, 910, 920], { attributes: { ...attributes, brand: 'Bavaria' }, condition: 'fair', country: 'SE' }),
      ...at([800, 810, 820], { attributes: { ...attributes, model: '42' }, condition: 'fair', country: 'SE' }),
      ...at([700, 710, 720], { attributes: { ...attributes, year: 2005 }, condition: 'fair', country: 'SE' }),
      ...at([600, 610, 620], { attributes: { ...attributes, length: 12 }, condition: 'fair', country: 'SE' }),
      ...at([500, 510, 520], { attributes: { ...attributes, material: 'steel' }, condition: 'fair', country: 'SE' }),
      ...at([400, 410, 420], { attributes, country: 'SE' }),
      ...at([300, 310, 320], { attributes, condition: 'fair' }),
    ]);
    const query = [
      'category=cruising&condition=fair&country=SE&attr[brand]=rassy&attr[model]=MK',
      'attr[year_min]=1998&attr[max_year]=1999&attr[max_length]=11.02&attr[min_length]=11.02&attr[material]=fiberglass',
    ].join('&');
    expect(await recommend(query)).toMatchObject({ sample_size: 3, max: 120, widened: [] });
  });

  test('drops filters one after the other while too few are left, and says which', async () => {
    const attributes = { brand: 'Rare', model: 'One', year: 1999, length: 11 };
    await store([
      ...at([100, 110], { attributes }),
      ...at([200], { attributes: { ...attributes, year: 2010 } }),
      ...at([300], { attributes: { ...attributes, model: 'Two', year: 2011 } }),
      ...at([400, 410, 420], { attributes: { brand: 'Common', model: 'Three', year: 2012, length: 11.1 } }),
      ...at([9_000], { attributes: { length: 20 } }),
    ]);
    const size = 'attr[min_length]=10&attr[max_length]=12';
    const full = `category=cruising&country=DE&condition=good&attr[brand]=rare&attr[model]=one&attr[max_year]=2000&${size}`;
    expect(await recommend(full)).toMatchObject({
      sample_size: 3,
      max: 200,
      widened: ['country', 'condition', 'attr[year]'],
    });
    expect(
      await recommend(`category=cruising&attr[brand]=nobody&attr[model]=one&attr[material]=wood&${size}`),
    ).toMatchObject({
      sample_size: 7,
      widened: ['attr[material]', 'attr[model]', 'attr[brand]'],
    });
    expect(await recommend('category=cruising&attr[min_length]=90')).toMatchObject({
      sample_size: 8,
      widened: ['attr[length]'],
    });
    expect(await recommend('category=cruising&currency=EUR&attr[model]=two')).toMatchObject({
      widened: ['attr[model]'],
    });
  });

  test('drops nothing when that finds no more', async () => {
    await store(at([100, 110], { condition: 'new', attributes: { brand: 'Only' } }));
    expect(await recommend('category=cruising&condition=new&attr[brand]=only&attr[min_year]=1990')).toMatchObject({
      sample_size: 2,
      widened: ['condition', 'attr[year]'],
    });
    expect(await recommend('category=cruising&condition=new&attr[brand]=only')).toMatchObject({
      sample_size: 2,
      widened: [],
    });
  });

  test('follows every change of a listing', async () => {
    const [listing] = await store(at([100, 200, 300]));
    const change = async (set: string) => {
      await app.database.pool.query(`update listings set ${set} where id = $1`, [listing?.id]);
      app.services.cache.clear();
      return recommend('category=cruising');
    };
    expect(await change('price_amount = 50')).toMatchObject({ sample_size: 3, min: 50 });
    expect(await change(`status = 'paused'`)).toMatchObject({ sample_size: 2, min: 200 });
    expect(await change(`status = 'active', price_currency = 'USD'`)).toMatchObject({ sample_size: 2, min: 200 });
    expect(await change(`price_currency = 'EUR', type = 'wanted'`)).toMatchObject({ sample_size: 2 });
    expect(await change(`type = 'sale', category_id = 'motorboats'`)).toMatchObject({ sample_size: 2 });
    expect(await change(`category_id = 'cruising'`)).toMatchObject({ sample_size: 3, min: 50 });
    await app.database.pool.query('delete from listings where id = $1', [listing?.id]);
    app.services.cache.clear();
    expect(await recommend('category=cruising')).toMatchObject({ sample_size: 2 });
  });

  test('comes with the five listings that are nearest in year, length and price', async () => {
    const attributes = (year: number) => ({ year, length: 11 });
    await store([
      ...[1990, 1994, 1998, 1999, 2000, 2002, 2006, 2010].map((year) => ({
        price_amount: 1_000,
        title: `Boat of ${year}`,
        attributes: attributes(year),
      })),
      { price_amount: 90_000, title: 'A dear boat of 1999', attributes: attributes(1999) },
    ]);
    const { comparables } = await recommend('category=cruising&attr[min_year]=1980&attr[max_year]=2018');
    expect(comparables.map(({ title }: Json) => title)).toEqual([
      'Boat of 1999',
      'Boat of 2000',
      'Boat of 1998',
      'Boat of 2002',
      'Boat of 1994',
    ]);
  });

  test('has high confidence in many prices close together, and medium in some', async () => {
    await store(at(Array.from({ length: 30 }, (_, index) => 1_000 + index)));
    expect(await recommend('category=cruising')).toMatchObject({ confidence: 'high', note: null });
    await store(
      at(
        Array.from({ length: 12 }, (_, index) => 1_000 + index * 200),
        { category_id: 'racing' },
      ),
    );
    expect(await recommend('category=racing')).toMatchObject({ confidence: 'medium', note: null });
  });

  test('warns of filters that nothing is known of', async () => {
    const { warnings } = await recommend('category=cruising&country=XX&attr[colour]=red');
    expect(warnings).toHaveLength(2);
  });

  test.each([
    '',
    'category=',
    'category=cruising&condition=shabby',
    'category=cruising&currency=EU',
    'category=cruising&sort=x',
  ])('400 for the query "%s"', async (query) => {
    const { status, body } = await app.as().get(`/api/pricing/recommend?${query}`);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
  });

  test('400 for an unknown category, with those there are, and for a currency not in use', async () => {
    const unknown = await app.as().get('/api/pricing/recommend?category=spaceships');
    expect([unknown.status, unknown.body.error.code]).toEqual([400, 'validation_error']);
    expect(unknown.body.error.details.valid_categories).toContain('cruising');
    const currency = await app.as().get('/api/pricing/recommend?category=cruising&currency=XXX');
    expect(currency.body.error.details.errors).toEqual([expect.objectContaining({ path: '/query/currency' })]);
  });

  test('is kept for readers without a credential until a listing changes', async () => {
    const get = () => app.as().get('/api/pricing/recommend?category=cruising');
    await app.settled();
    expect((await get()).headers.get('X-Cache')).toBe('MISS');
    expect((await get()).headers.get('X-Cache')).toBe('HIT');
    app.services.cache.invalidate({ listings: ['lst_any'] });
    expect((await get()).headers.get('X-Cache')).toBe('MISS');
  });
});
