import { andQueries, orQueries } from './parse-query.ts';

/** A query with fewer matches than this is relaxed. */
export const RELAX_BELOW = 10;

/** How many words, the rarest, a relaxed query requires some of; others count in the ranking alone. */
const MAX_WORDS = 5;
/** A word of more listings than this is common; only so many of them are required, since an index scan reads all their entries. */
const COMMON = 20_000;
const MAX_COMMON_WORDS = 3;

/**
 * The relaxed tsqueries of a query, each wider than the one before: all words but one; all but two; any of the two rarest.
 * `uses` are document frequencies.
 */
export function relaxations(words: readonly { query: string; uses: number }[]): string[] {
  const rarest = [...words]
    .sort((a, b) => a.uses - b.uses)
    .slice(0, MAX_WORDS)
    .filter(({ uses }, index) => uses < COMMON || index < MAX_COMMON_WORDS);
  const queries = rarest.map(({ query }) => query);
  if (queries.length < 2) return [];
  const most = [1, 2].filter((missing) => queries.length - missing >= 2).map((missing) => allBut(queries, missing));
  return [...most, orQueries([...most.slice(-1), ...queries.slice(0, 2)])];
}

/**
 * The m-of-n tsquery: all words but at most `missing`, which is less than their number. Built by divide and conquer, since the
 * choices written out are many and an index scan evaluates each for every listing.
 */
function allBut(queries: readonly string[], missing: number): string {
  if (missing === 0) return andQueries(queries);
  if (queries.length - missing === 1) return orQueries(queries);
  const middle = Math.ceil(queries.length / 2);
  const [first, second] = [queries.slice(0, middle), queries.slice(middle)];
  const choices = Array.from({ length: missing + 1 }, (_, inFirst) => [
    ...(inFirst < first.length ? [allBut(first, inFirst)] : []),
    ...(missing - inFirst < second.length ? [allBut(second, missing - inFirst)] : []),
  ]);
  return orQueries(choices.map(andQueries));
}
