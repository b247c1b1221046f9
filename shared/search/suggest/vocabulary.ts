import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { FREQUENT_FROM } from './frequent-prefixes.ts';

/** How long a process caches what it knows of a word. */
export const VOCABULARY_TTL_MS = 60_000;
const MAX_CACHED = 20_000;

/** Counts completions of words, titles and searches up to FREQUENT_FROM each; all at once, with a cache of a minute. */
export function createVocabulary(pool: Pool) {
  const cache = new LRUCache<string, { completions: number; at: number }>({ max: MAX_CACHED });

  return async function countCompletions(words: readonly string[], now: Date): Promise<Map<string, number>> {
    const at = now.getTime();
    const found = new Map<string, number>();
    const missing = new Set<string>();
    for (const word of words) {
      const known = cache.get(word);
      if (known && Math.abs(at - known.at) < VOCABULARY_TTL_MS) found.set(word, known.completions);
      else missing.add(word);
    }
    if (missing.size === 0) return found;
    const { rows } = await pool.query<{ word: string; n: number }>({ ...statement, values: [[...missing]] });
    for (const { word, n } of rows) {
      cache.set(word, { completions: n, at });
      found.set(word, n);
    }
    return found;
  };
}

const count = (kind: 'titles' | 'terms') =>
  `(select count(*)::int from (
    select from suggestion_${kind} s where s.start >= t.word and s.start < t.word || chr(1114111) limit ${FREQUENT_FROM}) as begun)`;

const statement = {
  name: 'suggest-vocabulary',
  text: `select t.word, ${count('titles')} + ${count('terms')} as n from unnest($1::text[]) as t (word)`,
};
