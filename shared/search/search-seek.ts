import type { SearchPool } from './search-pool.ts';
import { estimateMatches } from './search-frequencies.ts';
import { readQuestion } from './search-question.ts';
import type { Word } from './question-word.ts';
import type { Search } from './search-sql.ts';
import { ENOUGH, stagesOf } from './search-stages.ts';
import type { Asked } from './search-text.ts';
import { weighWords } from './search-weights.ts';
import { correctQuery, correctTerms } from './search-words.ts';

/** What was found, by what was asked for at last, and what is to be told of that. */
export type Sought<Found> = { found: Found; asked: Asked; warnings: string[]; isCorrected: boolean };

const SOME = 'No listing has all of these words; those found have some of them.';

/**
 * Looks for words by an engine's `find`: as typed; when no listing has them all, as they are likely meant; and when there are
 * still few, or in an order other than `relevance` none, with listings that have most of them.
 */
export async function seekWords<Found extends { total: number }>(
  pool: SearchPool,
  search: Search,
  q: string,
  find: (asked: Asked) => Promise<Found>,
): Promise<Sought<Found>> {
  const { query, words, isExact } = await readQuestion(pool, q);
  const isRanked = search.sort === 'relevance';
  const ask = async (all: string, of: readonly Word[]): Promise<Asked> => ({
    query: all,
    about: isExact ? 0 : await estimateMatches(pool, of),
    ...(isRanked && { weighed: await weighWords(pool, of) }),
  });
  const enough = isRanked ? ENOUGH : 1;
  const asked = await ask(query, words);
  const typed: Sought<Found> = { found: await find(asked), asked, warnings: [], isCorrected: false };
  if (typed.found.total >= enough || (isExact && typed.found.total > 0)) return typed;
  if (isExact || query === '') return seekExact(pool, q, typed, find);
  const understood = typed.found.total === 0 ? await correctTerms(pool, words, search) : undefined;
  let sought = typed;
  let meant = asked;
  if (understood) {
    meant = await ask(understood.query, understood.words);
    const found = await find(meant);
    if (found.total > 0) sought = { found, asked: meant, warnings: [understood.warning], isCorrected: true };
    if (found.total >= enough) return sought;
  }
  if (search.strict) return sought;
  const { words: known } = meant.weighed ?? (await weighWords(pool, understood?.words ?? words));
  const onlySome = sought.found.total === 0;
  for (const wide of stagesOf(known)) {
    const some = { ...meant, wide, onlySome };
    const found = await find(some);
    if (found.total === 0) continue;
    const warnings = onlySome ? [...(understood ? [understood.warning] : []), SOME] : sought.warnings;
    sought = { ...sought, found, asked: some, warnings };
    if (found.total >= enough) break;
  }
  return sought;
}

async function seekExact<Found extends { total: number }>(
  pool: SearchPool,
  q: string,
  typed: Sought<Found>,
  find: (asked: Asked) => Promise<Found>,
): Promise<Sought<Found>> {
  const { query, warning } = await correctQuery(pool, q);
  const warnings = warning === undefined ? [] : [warning];
  if (query === undefined) return { ...typed, warnings };
  const asked = { ...typed.asked, query };
  const found = await find(asked);
  return found.total > 0 ? { found, asked, warnings, isCorrected: true } : typed;
}

/** The tsquery that facets count by: listings with all of the words, as long as there are any. */
export const lookedFor = ({ query, wide, onlySome }: Asked) => (onlySome && wide !== undefined ? wide : query);
