import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { refreshSuggestions } from '../../../shared/search/suggest/refresh.ts';
import { startApp, type Json, type TestApp } from '../../support/app.ts';
import { startWorkers } from '../../support/workers.ts';
import { storeListings } from '../listings/search-fixture.ts';

const DAY_MS = 86_400_000;

describe.each(['nautical', 'general'] as const)('searches as suggestions in the %s profile', (profile) => {
  let app: TestApp;
  let start = Date.UTC(2026, 2, 1, 12);
  let now = start;

  beforeAll(async () => {
    app = await startApp({ profile, clock: { now: () => new Date(now) }, env: { TRUST_PROXY: '1' } });
    const category_id = profile === 'nautical' ? 'cruising' : 'sailboats';
    const titles = [
      'Narwhal 31 with wheel steering',
      'Élan cruiser',
      'Whore of Babylon, a book',
      '612345678 phone box',
    ];
    await storeListings(
      app,
      await app.createUser(),
      titles.map((title) => ({
        title,
        category_id,
        description: 'Wheel steering, gulet, someone@example.com 555-0100.',
      })),
    );
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    // A process remembers for a day who has searched for what: each test has days of its own.
    start += 200 * DAY_MS;
    now = start;
    app.services.cache.clear();
    await app.database.pool.query('truncate search_queries, suggestion_terms, suggestion_heads');
  });

  /** Searches as readers of so many networks, and writes the counts. */
  async function search(q: string, networks: number, rest = '', headers: Record<string, string> = {}): Promise<void> {
    for (let network = 0; network < networks; network += 1) {
      const { status } = await app.as().get(`/api/listings?q=${encodeURIComponent(q)}${rest}`, {
        headers: { 'X-Forwarded-For': `198.51.100.${network}`, ...headers },
      });
      expect(status).toBe(200);
    }
    await app.services.searchTerms.flush();
    app.services.cache.clear();
  }
  const termsOf = async (q: string): Promise<[text: string, count: number][]> => {
    const { body } = await app.as().get(`/api/search/suggest?q=${encodeURIComponent(q)}`);
    return body.suggestions.filter(({ type }: Json) => type === 'term').map(({ text, count }: Json) => [text, count]);
  };
  const kept = async () => (await app.database.pool.query('select query, searches from search_queries')).rows;

  test('a search made three times that found something is suggested, with how often', async () => {
    await search('Wheel  STEERING ', 2);
    expect(await termsOf('wheel')).toEqual([]);
    await search('wheel steering', 1);
    expect(await termsOf('wheel')).toEqual([['wheel steering', 3]]);
    expect(await termsOf('steer')).toEqual([['wheel steering', 3]]);
  });

  test('a search answered from the cache, and one for Markdown, count as well', async () => {
    const ask = (path: string, network: number) =>
      app.as().get(path, { headers: { 'X-Forwarded-For': `198.51.100.${network}` } });
    const answers = [await ask('/api/listings?q=gulet', 1), await ask('/api/listings?q=gulet', 2)];
    if (profile === 'nautical') expect(answers.map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'HIT']);
    await ask('/api/listings.md?q=gulet', 3);
    await app.services.searchTerms.flush();
    expect(await termsOf('gulet')).toEqual([['gulet', 3]]);
  });

  test('the most frequent come first, and each counts the last 30 days only', async () => {
    await search('wheel', 3);
    now += 20 * DAY_MS;
    await search('wheel steering', 4);
    expect(await termsOf('whe')).toEqual([
      ['wheel steering', 4],
      ['wheel', 3],
    ]);
    now = start + 30 * DAY_MS - DAY_MS;
    expect((await termsOf('whe')).map(([text]) => text)).toEqual(['wheel steering', 'wheel']);
    now = start + 30 * DAY_MS;
    app.services.cache.clear();
    expect(await termsOf('whe')).toEqual([['wheel steering', 4]]);
    now = start + 50 * DAY_MS;
    app.services.cache.clear();
    expect(await termsOf('whe')).toEqual([]);
  });

  test('a search of today comes before one that was more frequent three weeks ago', async () => {
    await search('wheel', 5);
    now += 21 * DAY_MS;
    await search('wheel steering', 3);
    expect(await termsOf('whe')).toEqual([
      ['wheel steering', 3],
      ['wheel', 5],
    ]);
  });

  test('what begins with the letters comes before what has them in a later word', async () => {
    await search('narwhal wheel', 9);
    await search('wheel steering', 3);
    expect((await termsOf('whe')).map(([text]) => text)).toEqual(['wheel steering', 'narwhal wheel']);
  });

  test('frequent searches come before categories and titles', async () => {
    await search('sail boat narwhal', 1);
    await app.database.pool.query(
      `insert into search_queries (day, query, searches, results) values ($1, 'sailcloth', 9, 9)`,
      [new Date(now).toISOString()],
    );
    await app.database.pool.query(
      `insert into suggestion_terms (query, place, popularity, start, last_day) values ('sailcloth', 1, 300, 'sailcloth', $1)`,
      [new Date(now).toISOString()],
    );
    const { body } = await app.as().get('/api/search/suggest?q=sail');
    expect(body.suggestions[0]).toEqual({ type: 'term', text: 'sailcloth', count: 9 });
    expect(body.suggestions[1].type).toBe('category');
  });

  test.each([
    ['wehel steering', 'swapped letters in the first of two words'],
    ['weel steering', 'a missing letter in the first of two words'],
    ['wheeel', 'a doubled letter'],
    ['whell steer', 'a wrong letter, the last word unfinished'],
    ['wheel sterin', 'a missing letter in the last word, unfinished'],
    ['wehe', 'swapped letters in four that are typed so far'],
    ['hweel', 'the first two letters swapped'],
    ['qheel', 'the first letter wrong'],
    ['wheelsteering', 'no blank'],
    ['whe el steering', 'a blank too many'],
    ['WHEEL-STERING', 'capitals and signs'],
    ['steeering', 'from its second word on'],
  ])('%s is understood: %s', async (typed) => {
    await search('wheel steering', 3);
    expect(await termsOf(typed)).toEqual([['wheel steering', 3]]);
  });

  test('numbers are not corrected, nor three letters, nor two wrong ones', async () => {
    await search('narwhal 31', 3);
    await search('élan cruiser', 3);
    for (const typed of ['narwhal 32', 'nxr', 'nawrahl', 'nxrwhxl']) expect(await termsOf(typed), typed).toEqual([]);
    expect(await termsOf('narhwal 31')).toEqual([['narwhal 31', 3]]);
  });

  test('a word that few titles have may still be a mistyped search', async () => {
    await storeListings(app, await app.createUser(), [
      { title: 'Whewl of nowhere', category_id: profile === 'nautical' ? 'cruising' : 'sailboats' },
    ]);
    await search('wheel', 3);
    const { body } = await app.as().get('/api/search/suggest?q=whewl');
    const texts = body.suggestions.map(({ text }: Json) => text);
    expect(texts.slice(0, 2)).toEqual(['wheel', 'Whewl of nowhere']);
  });

  test('where very many begin alike, the most frequent are first, kept ready or not', async () => {
    const queries = Array.from({ length: 60 }, (_, index) => `zebra ${100 + index}`);
    const pool = app.database.pool;
    const day = new Date(now).toISOString().slice(0, 10);
    const counts = queries.map((_, index) => 3 + ((index * 7) % 60));
    await pool.query(
      `insert into search_queries (day, query, searches, results)
       select $1, query, n, 1 from unnest($2::text[], $3::int[]) as t (query, n)`,
      [day, queries, counts],
    );
    await pool.query(
      `insert into suggestion_terms (query, place, popularity, start, last_day)
       select query, place, popularity_of(n), start, $1 from unnest($2::text[], $3::int[]) as t (query, n)
       cross join lateral suggestion_starts(query)`,
      [day, queries, counts],
    );
    const expected = queries
      .map((text, index): [string, number] => [text, counts[index]!])
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, 3);
    for (const refresh of [false, true]) {
      if (refresh) expect(await refreshSuggestions(app.services.db, 'terms')).toBeGreaterThan(0);
      app.services.cache.clear();
      for (const q of ['ze', 'zeb', 'zebra 1']) expect((await termsOf(q)).slice(0, 3), q).toEqual(expected);
    }
  });

  test('one reader cannot push a search up', async () => {
    for (let times = 0; times < 9; times += 1) await search('wheel', 1);
    expect(await termsOf('wheel')).toEqual([['wheel', 5]]);
  });

  test('crawlers, later pages and searches of a status do not count', async () => {
    await search('wheel', 4, '', { 'User-Agent': 'Mozilla/5.0 (compatible; Examplebot/2.1)' });
    await search('wheel', 4, '&page=2');
    await search('wheel', 4, '&status=all');
    expect(await kept()).toEqual([]);
  });

  test.each([
    'someone@example.com',
    '555 0100 222',
    '+49 431 1234567',
    '612345678',
    'www.example.com',
    'x',
    '"wheel" -cat',
    'a\u200Bb',
  ])('nothing is kept of %s', async (q) => {
    await search(q, 4);
    expect(await kept()).toEqual([]);
  });

  test('what finds nothing, what was corrected and what moderation stops is counted, but not suggested', async () => {
    await search('sarsaparilla', 4);
    await search('narwhla', 4);
    await search('whore', 4);
    expect(await kept()).toHaveLength(3);
    expect([await termsOf('sarsap'), await termsOf('narwhla'), await termsOf('whor')]).toEqual([[], [], []]);
  });

  test('a term that is blocked only later is not shown any more', async () => {
    await app.database.pool.query(
      `insert into search_queries (day, query, searches, results) values ($1, 'whore', 9, 9)`,
      [new Date(now).toISOString()],
    );
    await app.database.pool.query(
      `insert into suggestion_terms (query, place, popularity, start, last_day) values ('whore', 1, 9, 'whore', $1)`,
      [new Date(now).toISOString()],
    );
    expect(await termsOf('who')).toEqual([]);
  });

  test('a listing of the same name stands for a term', async () => {
    await search('Elan cruiser', 3);
    const { body } = await app.as().get('/api/search/suggest?q=elan');
    expect(body.suggestions.map(({ type, text }: Json) => [type, text])).toEqual([['listing', 'Élan cruiser']]);
  });

  test('the counts of two processes add up, and what waits is written when one stops', async () => {
    const twin = await app.twin();
    await twin.as().get('/api/listings?q=wheel');
    await twin.as().get('/api/listings?q=wheel');
    await twin.close();
    await search('wheel', 2);
    expect(await termsOf('wheel')).toEqual([['wheel', 4]]);
  });

  test('what cannot be written waits for the next time', async () => {
    const failing = vi.spyOn(app.services.pool, 'query').mockRejectedValueOnce(new Error('the database is away'));
    app.services.searchTerms.record({ q: 'wheel', results: 1, hasFailed: false, ms: 1 }, '198.51.100.9', '');
    expect(await app.services.searchTerms.flush()).toBe(false);
    failing.mockRestore();
    expect(await app.services.searchTerms.flush()).toBe(true);
    expect(await kept()).toEqual([{ query: 'wheel', searches: 1 }]);
  });

  test('counts are purged after 90 days, suggestions with their 30', async () => {
    await search('wheel', 3);
    const workers = await startWorkers(app);
    const purge = async () => {
      await workers.services.jobs.boss.send('purge-old-rows', {});
      await workers.work('purge-old-rows');
      const { rows } = await app.database.pool.query(
        'select (select count(*) from search_queries)::int as counts, (select count(*) from suggestion_terms)::int as terms',
      );
      return rows[0];
    };
    try {
      now += 29 * DAY_MS;
      expect(await purge()).toEqual({ counts: 1, terms: 1 });
      now += 3 * DAY_MS;
      expect(await purge()).toEqual({ counts: 1, terms: 0 });
      now += 60 * DAY_MS;
      expect(await purge()).toEqual({ counts: 0, terms: 0 });
    } finally {
      await workers.close();
    }
  });
});
