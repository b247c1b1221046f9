import { expect, test } from 'vitest';
import { buildCatalog } from '../../../../shared/catalog/tree.ts';
import { readFilters, type FilterQuery } from '../../../../shared/search/filters.ts';
import { planFilterFirst } from '../../../../shared/search/postgres/filter-first.ts';
import { nameStatement } from '../../../../shared/search/postgres/statement.ts';
import type { Search, Sort, Statement, StatusScope } from '../../../../shared/search/postgres/statement.ts';
import { planTextSearch, type TextQuery } from '../../../../shared/search/postgres/text-search.ts';
import { canScanInOrder, planOrderedScan } from '../../../../shared/search/postgres/ordered-scan.ts';
import { computeTermWeights } from '../../../../shared/search/query/term-weights.ts';
import { isPrepared } from '../../../../shared/search/search.ts';
import { profileOf } from '../../../../shared/profiles/read-profile.ts';

const nautical = profileOf('nautical');

const catalog = buildCatalog(nautical);
const sorts: Sort[] = [
  'relevance',
  'newest',
  'oldest',
  'price_asc',
  'price_desc',
  'random',
  'year_desc',
  'length_desc',
];
const scopes: StatusScope[] = [
  { everyone: ['active'] },
  { everyone: ['expired'] },
  { everyone: ['active', 'paused', 'sold'] },
  { everyone: ['active', 'paused', 'sold'], own: { sellerId: 'usr_1', statuses: ['draft'] } },
  { everyone: [], own: { sellerId: 'usr_1', statuses: ['expired'] } },
];
const parts: FilterQuery[] = [
  { q: 'needle-in-q' },
  { category: 'sailboats' },
  { seller_id: 'needle-in-seller' },
  { min_price: 98_765 },
  { max_price: 98_766, include_unpriced: true },
  { condition: 'good' },
  { country: 'DE' },
  { city: 'needle-in-city' },
  { shipping: true },
  { attr: { min_year: '1987', brand: 'needle-in-attr' } },
];

/** Every statement that any combination of filters, order and visibility leads to. */
function* statements(): Generator<[Search, Statement[]]> {
  for (let combination = 0; combination < 2 ** parts.length; combination += 1) {
    const query = Object.assign({}, ...parts.filter((_, index) => combination & (1 << index))) as FilterQuery;
    if (query.attr && query.category === undefined) query.attr = { min_year: '1987' };
    const { filters } = readFilters(query, catalog);
    for (const sort of sorts.filter((each) => each !== 'relevance' || filters.q)) {
      for (const scope of scopes) {
        for (const offset of [0, 80, 980]) {
          const search: Search = {
            filters,
            scope,
            sort,
            seed: 'needle-in-seed',
            offset,
            limit: 20,
            locale: 'needle-in-locale',
            now: new Date(0),
          };
          yield [search, statementsOf(search)];
        }
      }
    }
  }
}

const weighed = computeTermWeights(
  ['word', 'word-2', 'synonym'].map((typed) => ({
    typed,
    query: `needle-in-${typed}`,
    typedOnly: 'needle-in-typed-only',
  })),
  {
    counts: [1, 2, 3],
    listings: 3,
    lengths: { title: 4, text: 5 },
  },
);
const plain: TextQuery = { all: 'needle-in-query', termWeights: weighed };
const partial: TextQuery = { all: 'needle-in-query', relaxed: 'needle-in-wide', termWeights: weighed };

function statementsOf(search: Search): Statement[] {
  if (search.filters.q) return [planTextSearch(search, plain), planTextSearch(search, partial)];
  return canScanInOrder(search) ? [planOrderedScan(search)] : [planFilterFirst(search)];
}

test('prepared statements are few, and no text holds what a client sent', () => {
  const texts = new Set<string>();
  const prepared = new Set<string>();
  for (const [search, all] of statements()) {
    for (const { text, values } of all) {
      if (isPrepared(search)) prepared.add(nameStatement(text));
      if (texts.has(text)) continue;
      texts.add(text);
      expect(text).not.toMatch(/needle|9876|1987|usr_1|sailboats|corrected/);
      const used = new Set([...text.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));
      expect(
        [...used].toSorted((a, b) => a - b),
        text,
      ).toEqual(values.map((_, index) => index + 1));
    }
  }
  expect(prepared.size).toBeGreaterThan(50);
  expect(prepared.size).toBeLessThan(130);
});

test('the name of a prepared statement is a hash of its text', () => {
  expect(nameStatement('select 1')).toBe('MjIAOSj5_oapy2NP');
  expect(nameStatement('select 1')).not.toBe(nameStatement('select 2'));
});
