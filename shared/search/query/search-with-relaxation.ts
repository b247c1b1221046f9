import type { SearchPool } from '../search-pool.ts';
import { estimateMatches } from './document-frequencies.ts';
import { parseQuery } from './parse-query.ts';
import type { QueryTerm } from './query-term.ts';
import type { Search } from '../postgres/statement.ts';
import { RELAX_BELOW, relaxations } from './relaxations.ts';
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

const SOME = 'No listing has all of these words; those found have some of them.';

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
    const warnings = relaxedOnly ? [...(understood ? [understood.warning] : []), SOME] : result.warnings;
    result = { found, asked: some, warnings, corrected: understood?.corrected };
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
