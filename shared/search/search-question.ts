import type { SearchPool } from './search-pool.ts';
import { isStopWord, withoutParticles } from './search-stop-words.ts';
import type { Word } from './question-word.ts';
import { addSynonyms } from './search-synonyms.ts';

/**
 * What `q` asks for: a tsquery as text, empty where there is nothing to look for, and the words of it in their order;
 * `isWidened` where it finds more than just these words.
 */
export type Question = { query: string; words: Word[]; isExact: boolean; isWidened: boolean };

/** The most that a search weighs: words behind them are looked for, but do not count in the order. */
const MOST_WORDS = 16;

const excluded = /(^|\s)-("[^"]*"|\S+)/g;

/**
 * Reads `q`. Words may be said in other ways (search-synonyms.ts), and stop words of any language may be missing. Exact
 * questions, with quotation marks, a minus or `or`, are to be answered as they stand.
 */
export async function readQuestion(pool: SearchPool, q: string): Promise<Question> {
  const plain = withoutParticles(q);
  const { rows } = await pool.query<{ query: string | null; is_exact: boolean; typed: string[]; queries: string[] }>({
    name: 'read-question',
    text: `select case when is_exact_search($1) then search_query($1)::text end as query, is_exact_search($1) as is_exact, terms.*
      from (select coalesce(array_agg(typed order by place), '{}') as typed, coalesce(array_agg(query::text order by place), '{}') as queries
        from search_terms(case when is_exact_search($1) then $2 else $3 end)) as terms`,
    values: [q, q.replaceAll(excluded, ' '), plain],
  });
  const { query, is_exact: isExact = false, typed = [], queries = [] } = rows[0] ?? {};
  const words = typed.map((word, index): Word => ({ typed: word, query: queries[index] ?? '' }));
  if (isExact) return { query: query ?? '', words: words.slice(0, MOST_WORDS), isExact, isWidened: false };
  const telling = words.filter((word) => !isStopWord(word.typed));
  const asked = await addSynonyms(pool, telling.length > 0 ? telling : words);
  const expanded = new Map(asked.map((word, index) => [telling[index] ?? words[index], word]));
  const all = words.map((word) => expanded.get(word) ?? { ...word, isOptional: true });
  const isWidened =
    asked.length < words.length || asked.some(({ alone }) => alone !== undefined) || plain !== q.normalize('NFKC');
  return { query: allOf(asked.map((word) => word.query)), words: all.slice(0, MOST_WORDS), isExact, isWidened };
}

/** A tsquery for listings with all of these. */
export const allOf = (queries: readonly string[]) => queries.map((query) => `(${query})`).join(' & ');

/** A tsquery for listings with any of these. */
export const anyOf = (queries: readonly string[]) => queries.map((query) => `(${query})`).join(' | ');
