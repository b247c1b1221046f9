import { sql, type Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { DB } from '../../db/types.gen.ts';

/** Shorter words are close to too many others. */
const SHORTEST_CORRECTED = 5;
const MOST_WORDS = 8;
const MOST_ALTERNATIVES = 5;
/** A word this common needs no more counting, and its row no more locking. */
const COMMON = 1_000;

/**
 * Adds the words of these listings, as far as they are active, to the vocabulary that mistyped words are compared with. The
 * count beside a word is about how many listings use it: naming a listing again counts its words again.
 */
export async function addWords(db: Kysely<DB>, listingIds: readonly string[]): Promise<void> {
  if (listingIds.length === 0) return;
  await sql`
    with used as (
      select word, count(*)::int as listings from (
        select distinct l.id, word from listings l cross join lateral unnest(tsvector_to_array(to_tsvector('quayside_words',
          concat_ws(' ', l.title, array_to_string(l.tags, ' '), l.attributes->>'brand', l.attributes->>'model', left(l.description, 20000))))) as word
        where l.id = any(${listingIds}::text[]) and l.status = 'active') as words
      where char_length(word) between ${SHORTEST_CORRECTED - 1} and 40 and word ~ '[[:alpha:]]' group by word)
    insert into search_words as known (word, listings)
    select word, listings from used
    where not exists (select 1 from search_words w where w.word = used.word and w.listings >= ${COMMON})
    order by word
    on conflict (word) do update set listings = known.listings + excluded.listings`.execute(db);
}

/**
 * For each word that no listing has, the known words that differ from it by one letter (wrong, missing, too many, or two
 * swapped), the most used first. Words of fewer than five letters, known words and those without a likeness are left out.
 */
export async function correctWords(pool: Pool, words: readonly string[]): Promise<Map<string, string[]>> {
  const typed = [...new Set(words)].filter((word) => [...word].length >= SHORTEST_CORRECTED).slice(0, MOST_WORDS);
  const corrections = new Map<string, string[]>();
  if (typed.length === 0) return corrections;
  const { rows } = await pool.query<{ typed: string; plain: string; known: string }>({
    name: 'correct-words',
    text: `select t.typed, t.plain, k.word as known
           from (select typed, unaccent(lower(typed)) as plain from unnest($1::text[]) as typed) as t
           join search_words k on k.word % t.plain and levenshtein_less_equal(k.word, t.plain, 2) <= 2
           where char_length(t.plain) <= 40 and not exists (select 1 from search_words same where same.word = t.plain)
           order by k.listings desc, k.word limit 200`,
    values: [typed],
  });
  for (const { typed: word, plain, known } of rows) {
    const alternatives = corrections.get(word) ?? [];
    if (alternatives.length < MOST_ALTERNATIVES && differsByOne(plain, known))
      corrections.set(word, [...alternatives, known]);
  }
  return corrections;
}

/** The query with mistyped words replaced, as text of a tsquery, and what to tell the reader; no query when nothing can be done. */
export async function correctQuery(pool: Pool, q: string): Promise<{ query?: string; warning?: string }> {
  const words = q.split(/[^\p{L}\p{M}\p{N}]+/u).filter(Boolean);
  const corrections = await correctWords(pool, words);
  const typed = [...corrections.keys()];
  const known = [...corrections.values()].map((alternatives) => alternatives.join(' or '));
  const { rows } = await pool.query<{ query: string; typed: string[]; known: string[] }>({
    name: 'correct-query',
    text: `select websearch_to_tsquery('quayside', $1)::text as query,
             array(select plainto_tsquery('quayside', word)::text from unnest($2::text[]) with ordinality as t (word, n) order by n) as typed,
             array(select websearch_to_tsquery('quayside', words)::text from unnest($3::text[]) with ordinality as k (words, n) order by n) as known`,
    values: [q, typed, known],
  });
  const [parsed] = rows;
  if (!parsed || parsed.query === '') return { warning: `There is no word to look for in '${q}'.` };
  if (typed.length === 0) return {};
  const query = parsed.typed.reduce((text, lexeme, index) => {
    const substitute = parsed.known[index];
    return lexeme && substitute ? text.replaceAll(lexeme, () => `(${substitute})`) : text;
  }, parsed.query);
  const said = typed.map((word) => `'${word}' (looked for: ${corrections.get(word)?.join(', ')})`);
  return { query, warning: `No listing has ${said.join(' and ')}.` };
}

/** One letter replaced, added or left out, or two neighbours swapped. */
export function differsByOne(a: string, b: string): boolean {
  const [short, long] = [[...a], [...b]].sort((x, y) => x.length - y.length) as [string[], string[]];
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  let end = 0;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1;
  const [left, right] = [short.slice(start, short.length - end), long.slice(start, long.length - end)];
  if (left.length === 2 && right.length === 2) return left[0] === right[1] && left[1] === right[0];
  return right.length === 1 && left.length <= 1;
}
