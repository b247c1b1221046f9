import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../../support/app.ts';
import { useSearchIndex } from '../../../support/search-index.ts';
import { storeListings } from '../search-fixture.ts';

const index = await useSearchIndex();
let app: TestApp;
let plain: TestApp;
let reader: TestUser;
let restless: TestUser;

const brands = ['Bavaria', 'BAVARIA', 'Hallberg-Rassy', '50% off "Yard"', undefined];
const things = ['genoa', 'autopilot', 'bowsprit', 'halyard', 'tiller'];

/** Listings with many equal keys, and some with none, so that ids have to break ties. */
function variety(number: number) {
  const spread = (number * 37) % 70;
  return {
    title: spread % 3 === 0 ? `Cutter with ${things[spread % 5]}` : `Sloop number ${number} in good repair`,
    description: spread % 2 === 0 ? 'She has a genoa and two new halyards.' : 'A cutter is beside her, with a tiller.',
    tags: spread % 9 === 0 ? ['bluewater', 'halyard'] : [],
    category_id: ['cruising', 'racing', 'bowriders', 'outboards'][spread % 4]!,
    status: spread % 11 === 10 ? 'sold' : 'active',
    type: spread % 6 === 0 ? 'wanted' : 'sale',
    condition: ['new', 'like_new', 'good'][spread % 3]!,
    price_amount: [0, 500, 500, 900, 1_250.5][spread % 5]!,
    country: spread % 5 === 0 ? 'NL' : 'DE',
    city: ['Kiel', 'KIEL', 'Flensburg'][spread % 3]!,
    shipping: spread % 2 === 0,
    attributes: {
      ...(brands[spread % 5] !== undefined && { brand: brands[spread % 5] }),
      ...(spread % 4 !== 0 && { year: 1990 + (spread % 8) }),
      ...(spread % 5 !== 0 && { length: 9 + (spread % 4) / 10 }),
      ...(spread % 2 === 0 && { cabins: spread % 5 }),
      trailer_included: spread % 2 === 1,
    },
    published_at: new Date(Date.UTC(2025, 2, 1) + (spread % 9) * 3_600_000).toISOString(),
    updated_at: new Date(Date.UTC(2025, 3, 1) + (spread % 7) * 3_600_000).toISOString(),
    lat: spread % 6 === 0 ? undefined : 54 + (spread % 4) / 50,
    lng: spread % 6 === 0 ? undefined : [10, 179.9][spread % 2],
    ...(spread % 8 === 3 && { premium_type: 'featured', premium_until: '2099-01-01T00:00:00Z' }),
    ...(spread % 8 === 4 && { premium_type: 'featured', premium_until: '2025-01-01T00:00:00Z' }),
  };
}

const inLanguages = [
  { title: 'Segelboot für den Urlaub', description: 'Schönes Boot mit großer Kajüte, gepflegt.', language: 'de' },
  { title: 'Voilier de croisière', description: 'Bel équipage, coque en acier et pont en teck.', language: 'fr' },
  { title: '요트 팝니다', description: '상태가 아주 좋은 세일링 요트입니다. 직접 보세요.', language: 'ko' },
  { title: 'ヨット 中古艇', description: 'エンジン付きの中古ヨットです。状態は良好。', language: 'ja' },
  { title: 'Old sail boat of wood', description: 'A sail-boat with oars; the galley is in oak.' },
  { title: 'Motor yacht of steel', description: 'Diesel engine, twin 150hp. E-mail info@example.com.' },
  { title: 'Dinghy with oars', description: 'Fits on the deck of a cruiser of 12.5 m.' },
];

beforeAll(async () => {
  app = await startApp();
  plain = await startApp({ database: app.database, env: { TYPESENSE_URL: '' } });
  [reader, restless] = [await app.createUser({ name: 'Reader' }), await app.createUser({ name: 'Restless' })];
  const seller = await app.createUser({ name: 'Seller' });
  const rows = Array.from({ length: 70 }, (_, number) => variety(number));
  await storeListings(app, seller, [...rows, ...inLanguages.map((each) => ({ category_id: 'racing', ...each }))]);
});
// Each by itself: the index is let go of even when the apps have never come up.
afterAll(() => index.close());
afterAll(() => app.close());
afterAll(() => plain.close());

type Body = {
  results: { id: string; title: string }[];
  pagination: { total: number; pages: number; next_cursor: string | null };
  warnings?: string[];
  facets?: object;
};

/** Who is known is not answered from a cache. */
async function read(query: string, engine: TestApp = app) {
  const { status, body, headers } = await engine
    .as(reader)
    .get(`/api/listings?${new URLSearchParams(query).toString()}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return { body: body as Body, engine: headers.get('x-search-engine') };
}

/** What both engines have to agree upon; what a cursor is made of is an engine's own. */
const shown = ({ pagination, ...body }: Body) => ({
  ...body,
  pagination: { ...pagination, next_cursor: pagination.next_cursor !== null },
});

const near = 'near=54.05,10&radius_km=9';
const byIndex = [
  'sort=newest',
  'sort=oldest&category=sailboats',
  'sort=price_asc&min_price=500&max_price=1250.5',
  'sort=price_desc&max_price=500&include_unpriced=true',
  'sort=year_desc&attr[min_year]=1992&attr[max_year]=1996',
  'sort=length_desc&attr[length_max]=9.2',
  'sort=updated_asc&updated_since=2025-04-01T03:00:00Z',
  `sort=distance&${near}`,
  `sort=newest&${near}&country=DE`,
  'bbox=9,53,11,54.05&condition=good',
  'bbox=179,53,-179,55&sort=price_asc',
  'city=kiel&shipping=true&type=sale',
  'category=outboards&attr[min_cabins]=2',
  'category=sailboats&attr[brand]=bavaria&attr[trailer_included]=true',
  'category=sailboats&attr[brand]=0% off "y',
  'status=sold&sort=oldest',
  'min_price=9000&max_price=3000',
  'sort=relevance&q=cutter',
  'sort=relevance&q=Halyards',
  'sort=relevance&q=genoa tiller',
  'sort=relevance&q=cuttter',
  'sort=relevance&q=autopilot bluewater oars',
  'sort=relevance&q=the cutter with a genoa&category=sailboats&attr[min_year]=1990',
  'sort=relevance&q=cutter&status=sold',
  'sort=newest&q=genoa beside',
  'sort=price_desc&q=halyard&max_price=900',
  'sort=newest&q=oak diesel',
  'sort=relevance&q=tiller -sloop',
  'sort=relevance&q=tiller or oars',
  'sort=relevance&q=schones boot',
  'sort=relevance&q=KAJÜTE',
  'sort=relevance&q=voiliers croisiere',
  'sort=relevance&q=세일링 요트',
  'sort=relevance&q=요트를',
  'sort=relevance&q=中古ヨット',
  'sort=relevance&q=中古のヨット',
  'sort=relevance&q=エンジン',
  'sort=relevance&q=sailboat',
  'sort=relevance&q=sail boat',
  'sort=relevance&q=motorboat 150hp',
  'sort=relevance&q=sloop repair number',
  'facets=category,condition,country,type,shipping,attr.brand&limit=1',
  'facets=country,attr.brand&q=cuttter&country=NL&category=sailboats&limit=1',
  'facets=shipping&q=autopilot bluewater oars&limit=1',
];
/** All of its parts are more than Typesense takes in a filter. */
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** What the index leaves to PostgreSQL. */
const byPostgres = [
  'sort=random&seed=x',
  'sort=newest&near=54.05,10&radius_km=200',
  'sort=relevance&q="good repair"',
  'sort=relevance&q=艇',
  'status=all&q=cutter',
  `category=sailboats&attr[brand]=${letters}&attr[model]=${letters}`,
];

test.each([...byIndex.map((query) => [query, 'typesense']), ...byPostgres.map((query) => [query, 'postgres'])])(
  'both engines have the same listings, order, totals, warnings and facets for %s (%s)',
  async (query, engine) => {
    const limit = query.includes('limit=') ? '' : '&limit=20';
    const own = await read(`${query}${limit}`, plain);
    const found = await read(`${query}${limit}`);
    expect(shown(found.body)).toEqual(shown(own.body));
    expect([found.engine, own.engine]).toEqual([engine, 'postgres']);
  },
);

test('each kind of words finds something', async () => {
  const silent = ['autopilot bluewater oars', 'oak diesel'];
  for (const query of byIndex.filter((each) => each.includes('q='))) {
    const { body } = await read(query);
    expect(body.pagination.total, query).toBeGreaterThan(0);
    const isPartial = silent.some((words) => query.includes(words));
    expect(body.warnings?.includes('No listing has all of these words; those found have some of them.') ?? false).toBe(
      isPartial,
    );
  }
});

test('administrators are told the same reasons of either', async () => {
  const admin = await app.createUser({ role: 'admin' });
  const explain = async (engine: TestApp) => {
    const { body } = await engine.as(admin).get('/api/listings?sort=relevance&q=cuttter%20genoa&limit=5&explain=true');
    return (body as { explanation: { engine: string; results: object[] } }).explanation;
  };
  const [own, found] = [await explain(plain), await explain(app)];
  expect(own.results).toHaveLength(5);
  expect(found).toEqual({ ...own, engine: 'typesense' });
});

async function byNumber(query: string, engine: TestApp): Promise<string[]> {
  const { body } = await read(`${query}&limit=100`, engine);
  expect(body.pagination.pages).toBe(1);
  return body.results.map(({ id }) => id);
}

/** All pages, from whoever comes next in this round. */
async function byCursor(query: string, limit: number, engines: TestApp[], between = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null; page += 1) {
    const { body } = await read(
      `${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`,
      engines[page % engines.length],
    );
    ids.push(...body.results.map(({ id }) => id));
    cursor = body.pagination.next_cursor;
    await between();
  }
  return ids;
}

describe('pages by cursor', () => {
  const orders = ['newest', 'oldest', 'price_asc', 'price_desc', 'year_desc', 'length_desc', 'updated_asc'];
  const searches = [
    ...orders.map((sort, place) => `sort=${sort}${['', '&q=genoa', '&category=sailboats'][place % 3]}`),
    'sort=relevance&q=cutter',
    'sort=relevance&q=cuttter',
    'sort=relevance&q=autopilot bluewater oars',
    'sort=newest&q=oak diesel',
  ];

  test.each(searches)(
    'follow one another whichever engine answers, in the order of pages by number: %s',
    async (query) => {
      const expected = await byNumber(query, plain);
      expect(await byCursor(query, expected.length > 20 ? 20 : 3, [app, app, plain])).toEqual(expected);
    },
  );

  test.each(['sort=newest', 'sort=relevance&q=cutter', 'sort=price_asc'])(
    'miss nothing and meet nothing twice while others publish and take away: %s',
    async (query) => {
      const before = await byNumber(query, plain);
      const gone = new Set<string>();
      let turn = 0;
      const seen = await byCursor(query, 9, [app], async () => {
        turn += 1;
        await storeListings(app, restless, [
          { ...variety(3), title: 'Cutter just published', published_at: new Date().toISOString() },
          { ...variety(turn + 1), published_at: '2025-01-01T00:00:00Z', price_amount: 1 },
        ]);
        const { rows } = await app.database.pool.query<{ id: string }>(
          `delete from listings where id = (select id from listings where seller_id = $1 order by md5(id) limit 1) returning id`,
          [restless.id],
        );
        for (const { id } of rows) gone.add(id);
      });
      await app.database.pool.query('delete from listings where seller_id = $1', [restless.id]);
      expect(new Set(seen).size).toBe(seen.length);
      expect(before.filter((id) => !seen.includes(id) && !gone.has(id))).toEqual([]);
    },
  );
});

test('of more matches than are ranked both engines rank the same, and lead on to the last', async () => {
  const many = Array.from({ length: 560 }, (_, number) => ({
    title: number % 40 === 7 ? `Ketch number ${number}` : `Yawl number ${number}`,
    description: number % 3 === 0 ? 'Better than a ketch.' : 'Better than a ketch, and a ketch she was.',
    published_at: new Date(Date.UTC(2024, 0, 1) + number * 3_600_000).toISOString(),
    ...(number === 2 && { premium_type: 'featured', premium_until: '2099-01-01T00:00:00Z' }),
  }));
  await storeListings(app, restless, many);
  const query = 'sort=relevance&q=ketch';
  const pages = async (engine: TestApp) => {
    const all = [];
    for (let page = 1; page <= 6; page += 1) all.push(await read(`${query}&limit=100&page=${page}`, engine));
    return all;
  };
  const [own, found] = [await pages(plain), await pages(app)];
  expect(found.map(({ body }) => shown(body))).toEqual(own.map(({ body }) => shown(body)));
  expect(found.map(({ engine }) => engine)).toEqual([...Array<string>(5).fill('typesense'), 'postgres']);
  const expected = own.flatMap(({ body }) => body.results.map(({ id }) => id));
  expect(expected).toHaveLength(560);
  expect(await byCursor(query, 100, [app])).toEqual(expected);
});
