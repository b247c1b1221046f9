import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Json, type TestApp } from '../../support/app.ts';
import { at, storePriced } from '../../support/pricing.ts';
import { setRates } from '../../support/rates.ts';

describe.each(['nautical', 'general'] as const)('assessing a price in the %s profile', (profile) => {
  let app: TestApp;
  const category = profile === 'nautical' ? 'cruising' : 'sailboats';
  const other = profile === 'nautical' ? 'racing' : 'motorboats';

  const assess = async (query: string): Promise<Json> => {
    const { status, body } = await app.as().get(`/api/pricing/assess?${query}`);
    expect(status).toBe(200);
    return body;
  };

  beforeAll(async () => {
    app = await startApp({ profile });
    await setRates(app, { SEK: 11 });
    const seller = await app.createUser();
    await storePriced(app, seller, [
      ...at([40_000, 45_000, 50_000, 55_000, 60_000], { category_id: category }),
      ...at([10, 20], { category_id: category, price_currency: 'USD' }),
      ...at([1_000, 1_001, 1_002, 1_003], { category_id: category, price_currency: 'CHF' }),
      { price_amount: 50_000, status: 'expired', category_id: category, price_currency: 'GBP' },
    ]);
  });
  afterAll(() => app.close());

  test.each([
    [20_000, 'great_deal', 0, -60],
    [44_000, 'good', 20, -12],
    [48_000, 'fair', 40, -4],
    [50_000, 'fair', 50, 0],
    [57_000, 'high', 80, 14],
    [90_000, 'overpriced', 100, 80],
  ])('%d is %s', async (price, assessment, percentile, deviation_percent) => {
    expect(await assess(`category=${category}&price=${price}`)).toMatchObject({
      price,
      currency: 'EUR',
      assessment,
      percentile,
      deviation_percent,
      market: { category, sample_size: 5, median: 50_000, currency: 'EUR' },
    });
  });

  test('a price outside of all others is fair where all are close together', async () => {
    const body = await assess(`category=${category}&price=1010&currency=CHF`);
    expect(body).toMatchObject({ assessment: 'fair', percentile: 100 });
  });

  test('is unknown where nothing or too little is known', async () => {
    expect(await assess(`category=${other}&price=1000`)).toMatchObject({
      currency: null,
      assessment: 'unknown',
      percentile: null,
      deviation_percent: null,
      market: { sample_size: 0, confidence: 'none' },
    });
    expect(await assess(`category=${category}&price=15&currency=USD`)).toMatchObject({
      currency: 'USD',
      assessment: 'unknown',
      percentile: 50,
      market: { sample_size: 2, confidence: 'low', note: expect.any(String) },
    });
  });

  test('names what is nearest to the price', async () => {
    const { market } = await assess(`category=${category}&price=59000&currency=EUR`);
    expect(market.comparables.map(({ price }: Json) => price.amount)).toEqual([60_000, 55_000, 50_000, 45_000, 40_000]);
  });

  test('shows an expired listing only where everybody may read one', async () => {
    const { market } = await assess(`category=${category}&price=1&currency=GBP`);
    expect(market).toMatchObject({ sample_size: 1 });
    expect(market.comparables).toHaveLength(profile === 'nautical' ? 0 : 1);
  });

  test.each([
    'category=X',
    'category=X&price=0',
    'category=X&price=-1',
    'category=X&price=dear',
    'price=1',
    'category=X&price=1e13',
  ])('400 for the query "%s"', async (query) => {
    const { status, body } = await app.as().get(`/api/pricing/assess?${query.replace('X', category)}`);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
  });

  test('400 for an unknown category, with the ids there are where the profile says so', async () => {
    const { status, body } = await app.as().get('/api/pricing/assess?category=spaceships&price=1');
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
    expect(Array.isArray(body.error.details.valid_categories)).toBe(profile === 'nautical');
  });
});
