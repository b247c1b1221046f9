import { plainText } from '../../kit/phrases.ts';
import { foldAscii } from './text.ts';
import { TERM_HALF_LIFE_DAYS } from '../terms.ts';

/** A frequent search: how often it was made in 30 days, and the same with recent ones counting more. */
export type FoundTerm = { query: string; count: number; popularity: number };

/**
 * Searches are typed from their first word on: from a later word they are so many steps of popularity less likely, each of a
 * quarter of a natural logarithm.
 */
export const LATER_WORD = 12;

/** Searches in the order in which they are likely to be meant by a folded text. */
export function byLikelihood(terms: readonly FoundTerm[], typed: string): FoundTerm[] {
  const likelihood = ({ query, popularity }: FoundTerm) =>
    (foldAscii(query) ?? plainText(query)).startsWith(typed) ? popularity : popularity * Math.exp(-LATER_WORD / 4);
  return terms
    .map((term) => ({ term, likelihood: likelihood(term) }))
    .sort((a, b) => b.likelihood - a.likelihood)
    .map(({ term }) => term);
}

/**
 * Selects how often a search was made from the day after `since` on, and its popularity: the same with exponential decay, so
 * that one made TERM_HALF_LIFE_DAYS before another counts half as much.
 */
export const decayedSearches = (query: string, since: string) => `
  select sum(searches)::int as count, sum(searches * power(2::float8, (day - ${since}::date)::float8 / ${TERM_HALF_LIFE_DAYS})) as popularity
  from search_queries where query = ${query} collate "default" and day > ${since}::date`;
