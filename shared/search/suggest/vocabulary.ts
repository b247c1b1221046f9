import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { FREQUENT_FROM } from './frequent-prefixes.ts';
import { chooseAlternatives, MAX_CORRECTED_LENGTH, MIN_CORRECTED_LENGTH, type WordFacts } from './correct-prefixes.ts';

/** How long a process caches what it knows of a word. */
export const VOCABULARY_TTL_MS = 60_000;
const MAX_CACHED = 20_000;
const MAX_ALIKE = 300;

type CachedFacts = { facts: WordFacts; at: number };
type Row = { typed: string; starts: number; known: boolean; alike: string[] | null };

/** Looks up facts of typed words, all at once, with a cache of a minute. */
export function createVocabulary(pool: Pool) {
  const kept = new LRUCache<string, CachedFacts>({ max: MAX_CACHED });

  return async function lookUp(words: readonly string[], now: Date): Promise<Map<string, WordFacts>> {
    const at = now.getTime();
    const found = new Map<string, WordFacts>();
    const missing = new Set<string>();
    for (const word of words) {
      const known = kept.get(word);
      if (known && Math.abs(at - known.at) < VOCABULARY_TTL_MS) found.set(word, known.facts);
      else missing.add(word);
    }
    if (missing.size === 0) return found;
    const { rows } = await pool.query<Row>({ ...statement, values: [[...missing]] });
    for (const { typed, starts, known, alike } of rows) {
      const facts = { starts, isKnown: known, ...chooseAlternatives(typed, alike ?? []) };
      kept.set(typed, { facts, at });
      found.set(typed, facts);
    }
    return found;
  };
}

const starts = (kind: 'titles' | 'terms') =>
  `(select count(*)::int from (
    select from suggestion_${kind} s where s.start >= t.word and s.start < t.word || chr(1114111) limit ${FREQUENT_FROM}) as begun)`;

const statement = {
  name: 'suggest-vocabulary',
  text: `
select t.word as typed, ${starts('titles')} + ${starts('terms')} as starts, k.known, alike.words as alike
from unnest($1::text[]) as t (word)
cross join lateral (
  select exists (select from search_words w where w.word >= t.word and w.word < t.word || chr(1114111)) as known) as k
left join lateral (
  select array_agg(word order by listings desc, word) as words from (
    select w.word, w.listings from search_words w
    where w.word % t.word and char_length(w.word) >= char_length(t.word) - 1
    order by w.listings desc, w.word limit ${MAX_ALIKE}) as best
  ) as alike on not k.known and char_length(t.word) between ${MIN_CORRECTED_LENGTH} and ${MAX_CORRECTED_LENGTH}`,
};
