import type { QueryTerm } from './document-frequencies.ts';
import type { SearchPool } from '../search-pool.ts';
import { isStopWord, withoutParticles } from './stop-words.ts';
import { addSynonyms } from './synonyms.ts';

/**
 * A parsed query: its tsquery as text (empty for nothing) and its terms in order; `isWidened` where it finds more than
 * these words.
 */
export type ParsedQuery = { query: string; words: QueryTerm[]; isExact: boolean; isWidened: boolean };

/** Terms that are weighed at most; further ones are required but do not rank. */
const MAX_WORDS = 16;

const excluded = /(^|\s)-("[^"]*"|\S+)/g;

/**
 * Parses `q` with synonyms; stop words are optional. Exact queries (quotation marks, minus, `or`) are answered as they
 * stand.
 */
export async function parseQuery(pool: SearchPool, q: string): Promise<ParsedQuery> {
  const plain = withoutParticles(q);
  const { rows } = await pool.query<{ query: string | null; is_exact: boolean; typed: string[]; queries: string[] }>({
    name: 'read-question',
    text: `select case when is_exact_search($1) then search_query($1)::text end as query, is_exact_search($1) as is_exact, terms.*
      from (select coalesce(array_agg(typed order by place), '{}') as typed, coalesce(array_agg(query::text order by place), '{}') as queries
        from search_terms(case when is_exact_search($1) then $2 else $3 end)) as terms`,
    values: [q, q.replaceAll(excluded, ' '), plain],
  });
  const { query, is_exact: isExact = false, typed = [], queries = [] } = rows[0] ?? {};
  const words = typed.map((word, index): QueryTerm => ({ typed: word, query: queries[index] ?? '' }));
  if (isExact) return { query: query ?? '', words: words.slice(0, MAX_WORDS), isExact, isWidened: false };
  const telling = words.filter((word) => !isStopWord(word.typed));
  const asked = await addSynonyms(pool, telling.length > 0 ? telling : words);
  const expanded = new Map(asked.map((word, index) => [telling[index] ?? words[index], word]));
  const all = words.map((word) => expanded.get(word) ?? { ...word, isOptional: true });
  const isWidened =
    asked.length < words.length ||
    asked.some(({ typedOnly }) => typedOnly !== undefined) ||
    plain !== q.normalize('NFKC');
  return { query: andQueries(asked.map((word) => word.query)), words: all.slice(0, MAX_WORDS), isExact, isWidened };
}

/** A tsquery for listings with all of these. */
export const andQueries = (queries: readonly string[]) => queries.map((query) => `(${query})`).join(' & ');

/** A tsquery for listings with any of these. */
export const orQueries = (queries: readonly string[]) => queries.map((query) => `(${query})`).join(' | ');
