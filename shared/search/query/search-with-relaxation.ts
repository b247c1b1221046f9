import { searchWarnings } from '../warnings.ts';
import type { SearchPool } from '../search-pool.ts';
import { estimateMatches, type QueryTerm } from './document-frequencies.ts';
import { andQueries, orQueries, parseQuery } from './parse-query.ts';
import type { Search } from '../postgres/statement.ts';
import type { TextQuery } from '../postgres/text-search.ts';
import { readTermWeights } from './term-weights.ts';
import { correctQuery, correctTerms, type Correction } from './correct-words.ts';

/** What the last query found, that query, how it was corrected, and the warnings that tell how it differs from what was typed. */
export type RelaxedResult<Found> = {
  found: Found;
  asked: TextQuery;
  warnings: string[];
  corrected?: Correction | undefined;
};

/** What stands in quotation marks of any kind is meant as it is written. */
const QUOTED = /["“”„«»]/;

/**
 * Query relaxation over an engine's `find`: all words as typed; spelling-corrected when nothing matches; and, while there are fewer
 * than RELAX_BELOW matches (in orders other than `relevance`: none), with ever fewer words required.
 */
export async function searchWithRelaxation<Found extends { total: number }>(
  pool: SearchPool,
  search: Search,
  q: string,
  find: (asked: TextQuery) => Promise<Found>,
): Promise<RelaxedResult<Found>> {
  const { query, words, isExact } = await parseQuery(pool, q);
  const isRanked = search.sort === 'relevance';
  const ask = async (all: string, of: readonly QueryTerm[]): Promise<TextQuery> => ({
    all,
    estimatedMatches: isExact ? 0 : await estimateMatches(pool, of),
    isOneWord: of.filter(({ isOptional }) => !isOptional).length === 1,
    ...(isRanked && { termWeights: await readTermWeights(pool, of) }),
  });
  const enough = isRanked ? RELAX_BELOW : 1;
  const asked = await ask(query, words);
  const typed: RelaxedResult<Found> = { found: await find(asked), asked, warnings: [] };
  if (typed.found.total >= enough || (isExact && typed.found.total > 0)) return typed;
  if (isExact || query === '') return searchExact(pool, q, typed, find);
  const isMistyped = typed.found.total === 0 && !QUOTED.test(q);
  const understood = isMistyped ? await correctTerms(pool, q, words, search) : undefined;
  let result = typed;
  let meant = asked;
  if (understood) {
    meant = await ask(understood.query, understood.words);
    const found = await find(meant);
    const { warning, corrected } = understood;
    if (found.total > 0) result = { found, asked: meant, warnings: [warning], corrected };
    if (found.total >= enough) return result;
  }
  if (search.strict) return result;
  const { words: known } = meant.termWeights ?? (await readTermWeights(pool, understood?.words ?? words));
  const relaxedOnly = result.found.total === 0;
  for (const relaxed of relaxations(known)) {
    const some = { ...meant, relaxed, relaxedOnly };
    const found = await find(some);
    if (found.total === 0) continue;
    const warnings = relaxedOnly
      ? [...(understood ? [understood.warning] : []), searchWarnings.someWords()]
      : result.warnings;
    // Words that are found nowhere together are no likelier than the typed ones: nothing is called a correction then.
    result = { found, asked: some, warnings, corrected: relaxedOnly ? undefined : understood?.corrected };
    if (found.total >= enough) break;
  }
  return result;
}

async function searchExact<Found extends { total: number }>(
  pool: SearchPool,
  q: string,
  typed: RelaxedResult<Found>,
  find: (asked: TextQuery) => Promise<Found>,
): Promise<RelaxedResult<Found>> {
  const { query, warning, corrected } = await correctQuery(pool, q);
  const warnings = warning === undefined ? [] : [warning];
  if (query === undefined) return { ...typed, warnings };
  const asked = { ...typed.asked, all: query };
  const found = await find(asked);
  return found.total > 0 ? { found, asked, warnings, corrected } : typed;
}

/** The tsquery that facets count by: that of all words as long as it has matches. */
export const effectiveQuery = ({ all, relaxed, relaxedOnly }: TextQuery) =>
  relaxedOnly && relaxed !== undefined ? relaxed : all;

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
