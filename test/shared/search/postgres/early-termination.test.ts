import { beforeAll, describe, expect, test } from 'vitest';
import { cardTypes } from '../../../../shared/listings/card.ts';
import { planEarlyTermination, canTerminateEarly } from '../../../../shared/search/postgres/early-termination.ts';
import { estimateMatches } from '../../../../shared/search/query/document-frequencies.ts';
import { parseQuery } from '../../../../shared/search/query/parse-query.ts';
import { COUNT_LIMIT } from '../../../../shared/search/postgres/total.ts';
import { planTextSearch, type TextQuery } from '../../../../shared/search/postgres/text-search.ts';
import { readTermWeights } from '../../../../shared/search/query/term-weights.ts';
import type { ListingFilters } from '../../../../shared/search/filters.ts';
import type { Search, Sort } from '../../../../shared/search/search.ts';
import { cloneSearchDatabase, searchedAt, type SearchDatabase } from '../../../support/search-database.ts';

type Row = { id: string; total: number | null; key: string; score?: string; cut?: string };

let database: SearchDatabase;

/** Words of titles and of descriptions that come at different rates, and never together in a title: oak and ash. */
beforeAll(async () => {
  database = await cloneSearchDatabase();
  const words = (n: number, of: Record<string, number>) => Object.keys(of).filter((word) => n % (of[word] ?? 1) === 0);
  const listings = Array.from({ length: 700 }, (_, n) => ({
    title: ['Boat', ...words(n, { oak: 2, rare: 97 }), ...words(n + 1, { ash: 2, teak: 3 }), String(n)].join(' '),
    description: words(n, { engine: 2, mast: 5, ash: 7 }).join(' '),
    status: n % 13 === 0 ? 'sold' : 'active',
    published_at: new Date(Date.UTC(2025, n % 12, 1 + (n % 28))).toISOString(),
    price_amount: ((n * 37) % 90) * 100,
    country: n % 5 === 0 ? 'NL' : 'DE',
    attributes: { year: 1990 + (n % 30) },
  }));
  await database.store(listings);
  await database.pool.query(
    `update listings set premium_type = 'featured', premium_until = case when views_of.n % 3 = 0 then '2025-12-01'::timestamptz else '2026-12-01'::timestamptz end
     from (select id, row_number() over (order by id) as n from listings) as views_of where views_of.id = listings.id and views_of.n % 40 = 0`,
  );
});

const searchOf = (sort: Sort, offset: number, limit: number, filters: Partial<ListingFilters> = {}): Search => ({
  filters: { impossible: false, ...filters },
  scope: { everyone: ['active'] },
  sort,
  seed: '',
  offset,
  limit,
  locale: 'en',
  now: searchedAt,
});

async function read({ text, values }: { text: string; values: unknown[] }): Promise<Row[]> {
  return (await database.pool.query<Row>({ text, values, types: cardTypes })).rows;
}

async function askedFor(q: string): Promise<TextQuery> {
  const { query, words } = await parseQuery(database.pool, q);
  return { all: query, termWeights: await readTermWeights(database.pool, words) };
}

describe('words that very many listings have', () => {
  const questions = [
    'boat',
    'oak',
    'engine',
    'mast',
    'oak ash',
    'boat teak',
    'rare',
    'rare engine',
    'sailboat',
    'nothing',
  ];
  const pages: [offset: number, limit: number][] = [
    [0, 20],
    [40, 20],
    [0, 100],
    [90, 7],
  ];
  const cases = questions.flatMap((q) =>
    (['relevance', 'newest', 'price_asc', 'price_desc'] as const).flatMap((sort) =>
      pages.map((page): [string, Sort, ...typeof page] => [q, sort, ...page]),
    ),
  );

  test.each(cases)(
    '%s, by %s, from %i on: the page is the one that looks at all of them',
    async (q, sort, offset, limit) => {
      const search = searchOf(sort, offset, limit);
      const asked = await askedFor(q);
      const expected = await read(planTextSearch(search, asked));
      expect(await read(planEarlyTermination(search, asked))).toEqual(expected);
      for (const through of [10, 200]) {
        const found = await read(planEarlyTermination(search, asked, through));
        if (typeof found[0]?.total === 'number') expect(found, `through ${through}`).toEqual(expected);
      }
    },
  );

  const filters: [name: string, filters: Partial<ListingFilters>][] = [
    ['in a country', { country: ['NL'] }],
    ['of a price and a year', { price: { min: 1_000, max: 6_000, unpriced: false }, year: { min: 1_995, max: 2_010 } }],
    ['of a kind that there is none of', { condition: ['new'] }],
  ];
  const filtered = filters.flatMap(([name, of]) =>
    ['oak', 'mast', 'boat teak', 'rare'].flatMap((q) =>
      (['relevance', 'newest', 'price_asc', 'price_desc'] as const).map((sort) => [q, name, sort, of] as const),
    ),
  );

  test.each(filtered)('%s %s by %s: the page is the one that looks at all of them', async (q, _name, sort, of) => {
    const asked = await askedFor(q);
    for (const [offset, limit] of pages) {
      const search = searchOf(sort, offset, limit, of);
      const expected = await read(planTextSearch(search, asked));
      const found: Row[][] = [];
      for (const isOneWord of [false, !q.includes(' ')])
        for (const through of [10, 200, 10_000])
          found.push(await read(planEarlyTermination(search, { ...asked, isOneWord }, through)));
      const complete = found.filter(([first]) => typeof first?.total === 'number');
      expect(complete).toEqual(complete.map(() => expected));
    }
  });

  test('a filtered page that is full tells how many there are', async () => {
    const search = searchOf('newest', 0, 20, { country: ['DE'] });
    const found = await read(planEarlyTermination(search, { ...(await askedFor('boat')), isOneWord: true }));
    expect(found).toHaveLength(20);
    expect(found[0]?.total).toBe((await read(planTextSearch(search, await askedFor('boat'))))[0]?.total);
  });

  test('a page that the listings looked at do not fill has no total, and is looked for among all', async () => {
    for (const sort of ['newest', 'price_asc'] as const) {
      const found = await read(planEarlyTermination(searchOf(sort, 0, 20), await askedFor('rare'), 10));
      expect(found.filter(({ total }) => total !== null)).toEqual([]);
    }
  });

  test.each(['newest', 'relevance', 'price_desc'] as const)(
    'one word that the statistics know as common is not counted: the same page by %s, of as many as are ever counted',
    async (sort) => {
      const search = searchOf(sort, 0, 20);
      const asked = await askedFor('engine');
      const expected = await read(planTextSearch(search, asked));
      const found = await read(planEarlyTermination(search, { ...asked, isOneWord: true }));
      expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      expect(new Set(found.map(({ total }) => total))).toEqual(new Set([COUNT_LIMIT]));
    },
  );

  test('only a first page of words and of what stands beside them is found so', async () => {
    const asked: TextQuery = { all: `'boat'`, estimatedMatches: 100_000 };
    const search = searchOf('relevance', 0, 20);
    expect(canTerminateEarly(search, asked)).toBe(true);
    expect(canTerminateEarly(search, { ...asked, estimatedMatches: 100 })).toBe(false);
    expect(canTerminateEarly(search, { ...asked, relaxed: `'boat' | 'oak'` })).toBe(false);
    expect(canTerminateEarly({ ...search, offset: 200 }, asked)).toBe(false);
    expect(canTerminateEarly({ ...search, sort: 'year_desc' }, asked)).toBe(false);
    expect(canTerminateEarly({ ...search, filters: { country: ['DE'], impossible: false } }, asked)).toBe(true);
    expect(canTerminateEarly({ ...search, filters: { city: 'kiel', impossible: false } }, asked)).toBe(false);
    expect(canTerminateEarly({ ...search, scope: { everyone: ['active', 'sold'] } }, asked)).toBe(false);
  });

  test('how many there are is only guessed of many listings', async () => {
    const { words } = await parseQuery(database.pool, 'boat');
    expect(await estimateMatches(database.pool, words)).toBe(0);
  });
});
