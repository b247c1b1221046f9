import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from './search-fixture.ts';

describe.each(['nautical', 'general'] as const)('several searches in one call, %s profile', (profile) => {
  let app: TestApp;
  let seller: TestUser;
  const category = profile === 'nautical' ? 'cruising' : 'sailboats';
  beforeAll(async () => {
    app = await startApp({ profile });
    seller = await app.createUser();
    await storeListings(app, seller, [
      { title: 'Bavaria 37 Cruiser', category_id: category, price_amount: 89_000, attributes: { brand: 'Bavaria' } },
      { title: 'Bavaria 42 Match', category_id: category, price_amount: 120_000, attributes: { brand: 'Bavaria' } },
      {
        title: 'Zodiac tender',
        category_id: category,
        price_amount: 0,
        country: 'NL',
        attributes: { brand: 'Zodiac' },
      },
    ]);
  });
  afterAll(() => app.close());

  const searchAll = (searches: object[], path = '/api/listings/multi-search') => app.as().post(path, { searches });

  test.each([
    ['words', { q: 'bavaria' }, 'q=bavaria'],
    ['numbers', { min_price: 100_000, limit: 1 }, 'min_price=100000&limit=1'],
    ['numbers as texts', { max_price: '100000' }, 'max_price=100000'],
    ['true and false', { max_price: 1, include_unpriced: true }, 'max_price=1&include_unpriced=true'],
    ['attributes', { category, attr: { brand: 'zodiac' } }, `category=${category}&attr[brand]=zodiac`],
    ['an attribute by its name', { category, 'attr[brand]': 'bav' }, `category=${category}&attr[brand]=bav`],
    ['facets and an order', { facets: 'country', sort: 'price_desc' }, 'facets=country&sort=price_desc'],
    ['some fields', { fields: 'id,title' }, 'fields=id,title'],
    ['an unknown parameter', { colour: 'red' }, 'colour=red'],
    ['an unknown category', { category: 'sailbaots' }, 'category=sailbaots'],
    ['nothing', {}, ''],
  ])('answers %s as GET does', async (_what, search, query) => {
    const { body } = await app.as().get(`/api/listings?${query}`);
    const reply = await searchAll([search, search]);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ results: [body, body] });
  });

  test('answers in the order of the searches', async () => {
    const queries = ['zodiac', 'match', 'nothing-has-this', 'cruiser', 'tender', 'bavaria'];
    const { body } = await searchAll(queries.map((q) => ({ q: `"${q}"`, fields: 'title', sort: 'newest' })));
    const titles = body.results.map(({ results }: { results: { title: string }[] }) =>
      results.map(({ title }) => title),
    );
    expect(titles.map((each: string[]) => each.length)).toEqual([1, 1, 0, 1, 1, 2]);
    expect(titles[0]).toEqual(['Zodiac tender']);
    expect(titles[3]).toEqual(['Bavaria 37 Cruiser']);
  });

  test('each search may have a language of its own, else that of the call', async () => {
    const replies = await searchAll(
      [{ facets: 'category' }, { facets: 'category', lang: 'en' }],
      '/api/listings/multi-search?lang=de',
    );
    const [german] = (await app.as().get('/api/listings?facets=category&lang=de')).body.facets.category;
    const [english] = (await app.as().get('/api/listings?facets=category&lang=en')).body.facets.category;
    const labels = replies.body.results.map(
      ({ facets }: { facets: { category: { label: string }[] } }) => facets.category[0]?.label,
    );
    expect(labels).toEqual([german.label, english.label]);
  });

  test.each([
    [[{}, {}, { min_price: 'cheap' }], '/body/searches/2/min_price'],
    [[{ sort: 'distance' }], '/body/searches/0/sort'],
    [[{}, { near: 'here,there' }], '/body/searches/1/near'],
    [[{ facets: 'nothing_known' }], '/body/searches/0/facets'],
    [[{ q: { not: 'a text' } }], '/body/searches/0/q'],
    [[{ limit: [1, 2] }], '/body/searches/0/limit'],
    [[], '/body/searches'],
    [Array.from({ length: 11 }, () => ({})), '/body/searches'],
  ])('400 for the whole call when one search is bad: %j', async (searches, path) => {
    const { status, body } = await searchAll(searches);
    expect(status).toBe(400);
    expect(body.error.details.errors.map((each: { path: string }) => each.path)).toContain(path);
  });

  test('what only administrators are told is 403 for others', async () => {
    expect((await searchAll([{ q: 'bavaria', sort: 'relevance', explain: true }])).status).toBe(403);
  });

  test('drafts of the caller are found, and nobody else finds them', async () => {
    await storeListings(app, seller, [{ title: 'A draft of my own', status: 'draft' }]);
    const search = { status: 'all', q: '"a draft of my own"' };
    const own = await app.as(seller).post('/api/listings/multi-search', { searches: [search] });
    expect(own.body.results[0].pagination.total).toBe(1);
    expect((await searchAll([search])).body.results[0].pagination.total).toBe(0);
  });
});

test('each search counts as a request, and a call that holds more than are left is 429', async () => {
  const app = await startApp({ profile: 'general', env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const call = (n: number) =>
    app.as().post('/api/listings/multi-search', { searches: Array.from({ length: n }, () => ({})) });
  const left = ({ headers }: { headers: Headers }) => Number(headers.get('X-RateLimit-Remaining'));
  const first = await call(1);
  const second = await call(10);
  expect(left(first) - left(second)).toBe(10);
  let reply = second;
  while (reply.status === 200) reply = await call(10);
  expect(reply.status).toBe(429);
  expect(left(reply)).toBe(0);
  await app.close();
});
