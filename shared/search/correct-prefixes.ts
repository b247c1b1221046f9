import type { Pool } from 'pg';
import { differsByOne } from '../listings/search-words.ts';

/** Shorter words are close to too many others. */
const SHORTEST = 5;
const LONGEST = 40;
const MOST_ALTERNATIVES = 3;

/**
 * What somebody may have meant by these words, most likely first, at most three: each word that no listing has is replaced by
 * a known one with one letter different; the last may be the beginning of one. Empty when nothing can be replaced.
 */
export async function correctPrefixes(pool: Pool, words: readonly string[]): Promise<string[][]> {
  const typed = [...new Set(words)].filter((word) => word.length >= SHORTEST && word.length <= LONGEST);
  if (typed.length === 0) return [];
  const { rows } = await pool.query<{ typed: string; known: string }>({
    name: 'correct-prefixes',
    text: `select t.typed, k.word as known
           from unnest($1::text[]) as t (typed) join search_words k on k.word % t.typed
           where char_length(k.word) >= char_length(t.typed) - 1
             and not exists (select from search_words same where same.word >= t.typed and same.word < t.typed || chr(1114111))
           order by k.listings desc, k.word limit 300`,
    values: [typed],
  });
  const last = words.at(-1);
  const alternatives = new Map<string, string[]>();
  for (const { typed: word, known } of rows) {
    const meant = word === last ? likePrefix(word, known) : differsByOne(word, known) ? known : undefined;
    const found = alternatives.get(word) ?? [];
    if (meant !== undefined && found.length < MOST_ALTERNATIVES && !found.includes(meant))
      alternatives.set(word, [...found, meant]);
  }
  const most = Math.max(0, ...[...alternatives.values()].map((found) => found.length));
  return Array.from({ length: most }, (_, rank) =>
    words.map((word) => alternatives.get(word)?.[rank] ?? alternatives.get(word)?.[0] ?? word),
  );
}

/** The beginning of a known word that differs by one letter from what was typed. */
function likePrefix(typed: string, known: string): string | undefined {
  const { length } = typed;
  return [known, ...[length, length + 1, length - 1].map((end) => known.slice(0, end))].find((beginning) =>
    differsByOne(typed, beginning),
  );
}
