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
  results: { id: string; title: string; premium?: unknown }[];
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
  'sort=newest&near=54.05,10&radius_km=200',
  'sort=distance&near=54.05,170&radius_km=20000',
  'bbox=9,53,11,54.05&condition=good',
  'bbox=179,53,-179,55&sort=price_asc',
  'city=kiel&shipping=true&type=sale',
  'category=outboards,racing&condition=new,good&country=NL,DE',
  'category=outboards&attr[min_cabins]=2',
  'attr[brand]=bavaria,rassy&attr[trailer_included]=true',
  'attr[brand]=0% off "y',
  'category=sailboats&attr[brand]=nothing has it',
  'status=sold&sort=oldest',
  'min_price=9000&max_price=3000',
  'facets=category,condition,country,type,shipping,attr.brand,attr.trailer_included&limit=1',
  'facets=country,attr.brand&country=NL&category=sailboats&attr[brand]=bavaria&limit=1',
];

/** What the index leaves to PostgreSQL. */
const byPostgres = ['sort=random&seed=x', 'status=all&q=cutter', 'q=tiller or oars', 'q=-sloop'];

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

/** What is looked for, and what each listing found has in its texts, in one of several ways. */
const words: [string, RegExp[]][] = [
  ['cutter', [/cutter/i]],
  ['genoa tiller', [/genoa|tiller/i]],
  ['cuttter', [/cutter/i]],
  ['"good repair"', [/good repair/i]],
  ['cutter -sloop', [/cutter/i]],
  ['schones boot', [/schönes/i, /boot/i]],
  ['KAJÜTE', [/kajüte/i]],
  ['요트', [/요트/]],
  ['autopilot bluewater', [/autopilot|bluewater/i]],
  ['motorboat', [/motor ?boat|motor ?yacht/i]],
];

test.each(words)('listings that Typesense finds for %s are about it', async (q, expected) => {
  const { body, engine } = await read(`sort=relevance&limit=100&q=${q}`);
  expect(engine).toBe('typesense');
  expect(body.results.length).toBeGreaterThan(0);
  expect(body.pagination.total).toBe(body.results.length);
  for (const result of body.results) {
    const text = JSON.stringify(result);
    for (const word of expected) expect(text).toMatch(word);
    if (q.includes('-sloop')) expect(text).not.toMatch(/sloop/i);
  }
});

test('a listing with all words in its title comes before one that has them elsewhere, promoted ones apart', async () => {
  const { body } = await read('sort=relevance&limit=100&q=cutter genoa');
  const inTitle = body.results.map(({ title }) => /cutter/i.test(title) && /genoa/i.test(title));
  expect(inTitle).toContain(true);
  expect(inTitle).toContain(false);
  const plainOnes = body.results.filter(({ premium }) => !premium).map(({ title }) => /cutter with genoa/i.test(title));
  expect(plainOnes).toEqual(plainOnes.toSorted((a, b) => Number(b) - Number(a)));
});

test('facets of words count what is found, whatever else narrows it', async () => {
  const { body } = await read('facets=country,type&q=cutter&country=NL&limit=100');
  const { body: everywhere } = await read('q=cutter&limit=100');
  const { body: there } = await read('q=cutter&country=NL&limit=100');
  const facets = body.facets as unknown as Record<string, { value: string; count: number }[]>;
  const sum = (name: string) => facets[name]!.reduce((total, { count }) => total + count, 0);
  expect([sum('country'), sum('type')]).toEqual([everywhere.pagination.total, there.pagination.total]);
});

test('where no listing has all words, those with some are found, and the reader is told', async () => {
  const { body, engine } = await read('sort=relevance&q=autopilot bluewater oars&limit=100');
  expect([engine, body.warnings]).toEqual([
    'typesense',
    ['No listing has all of these words; those found have some of them.'],
  ]);
});

test('the ranking is explained to administrators by PostgreSQL, whose ranking it is', async () => {
  const admin = await app.createUser({ role: 'admin' });
  const explain = async (engine: TestApp) => {
    const { body } = await engine.as(admin).get('/api/listings?sort=relevance&q=cuttter%20genoa&limit=5&explain=true');
    return (body as { explanation: { engine: string; results: object[] } }).explanation;
  };
  const [own, found] = [await explain(plain), await explain(app)];
  expect(own.results).toHaveLength(5);
  expect(found).toEqual(own);
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
  const searches = orders.map((sort, place) => `sort=${sort}${['', '&category=sailboats'][place % 2]}`);

  test.each(searches)(
    'follow one another whichever engine answers, in the order of pages by number: %s',
    async (query) => {
      const expected = await byNumber(query, plain);
      expect(await byCursor(query, expected.length > 20 ? 20 : 3, [app, app, plain])).toEqual(expected);
    },
  );

  test.each(['sort=relevance&q=cutter', 'sort=newest&q=genoa', `sort=distance&${near}`])(
    'of one engine follow one another in its order, and none comes twice: %s',
    async (query) => {
      const expected = await byNumber(query, app);
      expect(expected.length).toBeGreaterThan(6);
      expect(await byCursor(query, 3, [app])).toEqual(expected);
    },
  );

  test('of the other engine go on behind as many listings of its own order', async () => {
    const { body: first } = await read('sort=relevance&q=cutter&limit=5');
    const cursor = first.pagination.next_cursor;
    const { body: next } = await read(`sort=relevance&q=cutter&limit=5&cursor=${cursor}`, plain);
    const { body: second } = await read('sort=relevance&q=cutter&limit=5&page=2', plain);
    expect(next.results).toEqual(second.results);
    const back = await read(`sort=relevance&q=cutter&limit=5&cursor=${second.pagination.next_cursor}`);
    expect(back.engine).toBe('typesense');
    expect(back.body.results).toEqual((await read('sort=relevance&q=cutter&limit=5&page=3')).body.results);
  });

  test.each(['sort=newest', 'sort=price_asc', 'sort=newest&q=cutter'])(
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
