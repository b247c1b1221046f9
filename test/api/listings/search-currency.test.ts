import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { setRates } from '../../support/rates.ts';
import { storeListings, type Fields } from './search-fixture.ts';

const rates = { USD: 1.25, JPY: 160, GBP: 0.8 };
const perEuro: Record<string, number | undefined> = { EUR: 1, ...rates };
const currencies = ['EUR', 'USD', 'JPY', 'GBP', 'CLF'];

/** 120 listings in five currencies, one of which has no rate; every tenth is unpriced. */
const priced = Array.from({ length: 120 }, (_, index): Fields & { price_currency: string; price_amount: number } => {
  const price_currency = currencies[(index * 7) % 5]!;
  const inEuros = 100 + ((index * 37) % 120) * 50;
  return {
    title: `${index % 3 === 0 ? 'Bavaria' : 'Dehler'} number ${index}`,
    category_id: index % 2 === 0 ? 'cruising' : 'racing',
    city: index % 4 === 0 ? 'Kiel' : 'Hamburg',
    lat: index % 4 === 0 ? 54.3 : 53.5,
    lng: 10.1,
    price_currency,
    price_amount: index % 10 === 9 ? 0 : Math.round(inEuros * (perEuro[price_currency] ?? 3) * 100) / 100,
  };
});

const decimals = (currency: string) => (currency === 'JPY' ? 1 : 100);
const convert = (amount: number, from: string, to: string) => {
  if (from === to) return amount;
  const [own, other] = [perEuro[from], perEuro[to]];
  if (own === undefined || other === undefined) return undefined;
  return Math.round(((amount * other) / own) * decimals(to)) / decimals(to);
};

let app: TestApp;
let seller: TestUser;
let all: { id: string; amount: number; currency: string; index: number }[];
beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser();
  await setRates(app, rates);
  const stored = await storeListings(app, seller, priced);
  all = stored.map(({ id }, index) => ({
    id,
    amount: priced[index]!.price_amount,
    currency: priced[index]!.price_currency,
    index,
  }));
});
afterAll(() => app.close());

const search = async (query: string): Promise<Json> => {
  const { status, body } = await app.as().get(`/api/listings?limit=100&${query}`);
  expect(status).toBe(200);
  return body;
};
const searchAll = async (query: string): Promise<Json[]> => {
  const found: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body }: { body: Json } = await app
      .as()
      .get(`/api/listings?limit=7&${query}${cursor && `&cursor=${cursor}`}`);
    found.push(...body.results);
    cursor = body.pagination.next_cursor;
  }
  return found;
};
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
const narrowings: [string, (index: number) => boolean][] = [
  ['', () => true],
  ['&category=cruising', (index) => index % 2 === 0],
  ['&city=Kiel', (index) => index % 4 === 0],
  ['&q=bavaria', (index) => index % 3 === 0],
  ['&near=54.3,10.1&radius_km=10', (index) => index % 4 === 0],
];

describe.each(['EUR', 'USD', 'JPY', 'CLF'])('prices in %s', (to) => {
  test('each result carries what its price is there, with the day of the rates; none in a currency without a rate', async () => {
    const rows = await searchAll(`currency=${to}&sort=newest`);
    expect(rows).toHaveLength(120);
    for (const { id, price } of rows) {
      const { amount, currency } = all.find((each) => each.id === id)!;
      const converted = convert(amount, currency, to);
      expect(price.converted).toEqual(
        converted === undefined ? undefined : { amount: converted, currency: to, rate_date: '2026-11-20' },
      );
    }
  });

  test.each(narrowings)('a range finds what is shown as lying in it, bounds included%s', async (narrowing, fits) => {
    const shown = all.flatMap(({ amount, currency }) => convert(amount, currency, to) ?? []).filter((each) => each > 0);
    const sorted = shown.toSorted((a, b) => a - b);
    for (const [min, max] of [
      [sorted.at(sorted.length / 10)!, sorted.at(sorted.length / 2)!],
      [sorted[0]!, sorted[0]!],
    ]) {
      const body = await search(`currency=${to}&min_price=${min}&max_price=${max}${narrowing}`);
      const expected = all.filter(({ amount, currency, index }) => {
        const converted = convert(amount, currency, to);
        return fits(index) && amount > 0 && converted !== undefined && converted >= min! && converted <= max!;
      });
      expect(ids(body.results).toSorted()).toEqual(ids(expected).toSorted());
      expect(body.pagination.total).toBe(expected.length);
    }
  });

  test.each(narrowings)(
    'both orders are by what is shown, without a rate last, page after page%s',
    async (narrowing, fits) => {
      for (const [sort, sign] of [
        ['price_asc', 1],
        ['price_desc', -1],
      ] as const) {
        const rows = await searchAll(`currency=${to}&sort=${sort}${narrowing}`);
        expect(ids(rows).toSorted()).toEqual(ids(all.filter(({ index }) => fits(index))).toSorted());
        const amounts = rows.map(({ price }) => price.converted?.amount as number | undefined);
        const known = amounts.filter((each) => each !== undefined);
        expect(amounts.slice(0, known.length)).toEqual(known);
        expect(known).toEqual(known.toSorted((a, b) => sign * (a - b)));
      }
    },
  );
});

test('unpriced listings stay out of a range, unless they are asked for', async () => {
  const unpriced = ids(all.filter(({ amount }) => amount === 0));
  const without = await search('currency=EUR&min_price=0&fields=id');
  expect(ids(without.results).filter((id) => unpriced.includes(id))).toEqual([]);
  const all_of_them = await search('currency=EUR&max_price=1&include_unpriced=true&fields=id');
  expect(ids(all_of_them.results).toSorted()).toEqual(unpriced.toSorted());
});

test('facets count what is in the range, by its converted price', async () => {
  const body = await search('currency=EUR&max_price=2000&facets=category');
  const within = all.filter(({ amount, currency }) => amount > 0 && (convert(amount, currency, 'EUR') ?? 9e9) <= 2_000);
  const counts = Object.fromEntries(body.facets.category.map(({ value, count }: Json) => [value, count]));
  expect(counts).toEqual({
    cruising: within.filter(({ index }) => index % 2 === 0).length,
    racing: within.filter(({ index }) => index % 2 === 1).length,
  });
});

test.each(narrowings)('the least and greatest price of the facet are converted ones%s', async (narrowing, fits) => {
  const { facets } = await search(`currency=USD&facets=price${narrowing}`);
  const amounts = all
    .filter(({ index, amount }) => fits(index) && amount > 0)
    .flatMap(({ amount, currency }) => convert(amount, currency, 'USD') ?? []);
  const { min, max, buckets } = facets.price;
  const inCents = (amount: number) => Math.round(amount * 100) / 100;
  expect([min, max]).toEqual([inCents(Math.min(...amounts)), inCents(Math.max(...amounts))]);
  expect(buckets.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(amounts.length);
});

test('without a currency nothing is converted, and amounts are compared as they stand', async () => {
  const body = await search('min_price=300&max_price=9000');
  expect(ids(body.results).toSorted()).toEqual(
    ids(all.filter(({ amount }) => amount >= 300 && amount <= 9_000)).toSorted(),
  );
  expect(body.results.filter(({ price }: Json) => price.converted !== undefined)).toEqual([]);
});

test('a code in small letters is as good', async () => {
  const [small, capital] = [await search('currency=eur&sort=price_asc'), await search('currency=EUR&sort=price_asc')];
  expect(small.results).toEqual(capital.results);
});

test.each(['XQQ', 'EURO', '1'])('400 for currency=%s', async (currency) => {
  const { status, body } = await app.as().get(`/api/listings?currency=${currency}`);
  expect(status).toBe(400);
  expect(body.error.details.errors[0].path).toBe('/query/currency');
});

test('a currency without a rate is warned of', async () => {
  expect((await search('currency=CLF')).warnings).toEqual([
    'There is no exchange rate for CLF: prices in other currencies are not compared.',
  ]);
});

test('cached answers show the rates that an administrator has just set', async () => {
  const admin = app.as(await app.createUser({ role: 'admin' }));
  const query = '/api/listings?currency=EUR&sort=price_asc&limit=1&min_price=1&q=dehler';
  const before = (await app.as().get(query)).body.results[0].price.converted;
  expect(before.rate_date).toBe('2026-11-20');
  await admin.put('/api/admin/rates', { base: 'EUR', date: '2026-11-21', rates });
  expect((await app.as().get(query)).body.results[0].price.converted).toEqual({ ...before, rate_date: '2026-11-21' });
});

test('what a search has answered may be sent back as it is', async () => {
  const [row] = (await search('currency=USD')).results;
  const { status, body } = await app.as(seller).put(`/api/listings/${row.id}`, { price: row.price });
  expect(status).toBe(200);
  expect(body.price.converted).toBeUndefined();
});
