import { plainText } from '../../kit/phrases.ts';
import { searchWarnings } from '../warnings.ts';
import type { Pool } from 'pg';
import type { SearchPool } from '../search-pool.ts';
import { readDocumentFrequencies, type QueryTerm } from './document-frequencies.ts';
import { editsOf, isOneEditApart } from './edits.ts';
import { andQueries, orQueries } from './parse-query.ts';
import { MIN_KNOWN_LENGTH } from './vocabulary.ts';

/** Shorter words are within one edit of too many others. */
const MIN_CORRECTED_LENGTH = 5;
/** From this length on two edits are corrected. */
const MIN_TWICE_CORRECTED_LENGTH = 8;
/** Candidates less likely than this share of the best are dropped. */
const MIN_LIKELIHOOD = 0.5;
const MAX_WORDS = 8;
const MAX_ALTERNATIVES = 5;

/**
 * Prefix completion and spelling correction: for each unknown word the known words that begin with it, most frequent first;
 * where none does, those within Damerau-Levenshtein distance 1; where none is either, and it has eight letters or more, the
 * likeliest at distance 2. Corrections have five letters at least.
 */
export async function correctWords(pool: Pool, words: readonly string[]): Promise<Map<string, string[]>> {
  const typed = [...new Set(words)].filter((word) => [...word].length >= MIN_CORRECTED_LENGTH - 1).slice(0, MAX_WORDS);
  const corrections = new Map<string, string[]>();
  if (typed.length === 0) return corrections;
  const { rows } = await pool.query<{ typed: string; plain: string; known: string; listings: number }>({
    name: 'correct-words',
    text: `with typed as (select typed, unaccent(lower(typed)) as plain from unnest($1::text[]) as typed)
           select t.typed, t.plain, k.word as known, k.listings
           from (
             select t.*, k.word from typed t join search_words k on k.word % t.plain and levenshtein_less_equal(k.word, t.plain, 2) <= 2
             -- Short words with two letters swapped have hardly a group of three in common.
             union
             select t.*, v.word from unnest($2::text[], $3::text[]) as v (typed, word) join typed t on t.typed = v.typed
             union
             select t.*, k.word from typed t join search_words k on t.plain ~ '^[[:alnum:]]+$' and k.word like t.plain || '%'
           ) as t join search_words k on k.word = t.word
           where char_length(t.plain) <= 40 and not exists (select 1 from search_words same where same.word = t.plain)
           order by k.listings desc, k.word limit 400`,
    values: [typed, ...variantsOf(typed)],
  });
  for (const word of typed) {
    // One letter of a word of five may be missing; what is shorter is close to too many others.
    const alike = rows.filter((row) => row.typed === word && [...row.known].length >= MIN_CORRECTED_LENGTH);
    const begun = alike.filter(({ plain, known }) => known.startsWith(plain));
    const near = begun.length > 0 ? begun : alike.filter(({ plain, known }) => isOneEditApart(plain, known));
    const far = alike.filter(({ plain }) => [...plain].length >= MIN_TWICE_CORRECTED_LENGTH);
    const likely = near.length > 0 ? likeliest(near, MAX_ALTERNATIVES) : likeliest(far, 1);
    if (likely.length > 0) corrections.set(word, likely);
  }
  return corrections;
}

/** Words with all their variants at distance 1, as columns. */
function variantsOf(words: readonly string[]): [string[], string[]] {
  const pairs = words.flatMap((typed) => {
    const plain = typed.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
    return /^[a-z]{4,20}$/.test(plain) ? editsOf(plain).map(({ text }) => [typed, text] as const) : [];
  });
  return [pairs.map(([typed]) => typed), pairs.map(([, variant]) => variant)];
}

/** The most frequent candidates, those with the same first letter first. */
function likeliest(alike: readonly { plain: string; known: string; listings: number }[], most: number): string[] {
  const scored = alike
    .map(({ plain, known, listings }) => ({ known, score: Math.log(1 + listings) * (known[0] === plain[0] ? 2 : 1) }))
    .sort((a, b) => b.score - a.score);
  const least = (scored[0]?.score ?? 0) * MIN_LIKELIHOOD;
  return scored
    .filter(({ score }) => score >= least)
    .slice(0, most)
    .map(({ known }) => known);
}

/** Segmentation: for each word the two known words it is without a space, with the most frequent rarer half. */
export async function splitJoinedWords(pool: Pool, words: readonly string[]): Promise<Map<string, [string, string]>> {
  if (words.length === 0) return new Map();
  const { rows } = await pool.query<{ typed: string; head: string; tail: string }>({
    name: 'split-words',
    text: `select distinct on (t.typed) t.typed, head.word as head, tail.word as tail
           from (select typed, unaccent(lower(typed)) as plain from unnest($1::text[]) as typed) as t
           cross join lateral generate_series(${MIN_KNOWN_LENGTH}, char_length(t.plain) - ${MIN_KNOWN_LENGTH}) as i
           join search_words head on head.word = left(t.plain, i) join search_words tail on tail.word = substr(t.plain, i + 1)
           where char_length(t.plain) <= 40
           order by t.typed, least(head.listings, tail.listings) desc, i`,
    values: [words.slice(0, MAX_WORDS)],
  });
  return new Map(rows.map(({ typed, head, tail }) => [typed, [head, tail]]));
}

/** A spelling correction in words as people write them: the whole query as typed, and as it was looked for. */
export type Correction = { from: string; to: string };

/** A query with mistyped words replaced by the likeliest known ones; undefined when none is. */
function writeCorrection(q: string, corrections: ReadonlyMap<string, string>): Correction | undefined {
  const to = q.replaceAll(/"[^"]*"|[\p{L}\p{M}\p{N}]+/gu, (part) => corrections.get(part) ?? part);
  return to === q ? undefined : { from: q, to };
}

/** A corrected query: its terms, without unknown ones, its tsquery, and the warning that tells. */
export type CorrectedTerms = {
  words: QueryTerm[];
  query: string;
  warning: string;
  corrected: Correction | undefined;
};

/**
 * Corrects a query with unknown words, by segmentation or spelling, but for names of makers. Undefined when all are known or nothing fits. `strict`
 * keeps unknown words, so that nothing more is found.
 */
export async function correctTerms(
  pool: SearchPool,
  q: string,
  typed: readonly QueryTerm[],
  { strict = false }: { strict?: boolean | undefined } = {},
): Promise<CorrectedTerms | undefined> {
  const words = typed.filter(({ isOptional }) => !isOptional);
  const { counts } = await readDocumentFrequencies(
    pool,
    words.map(({ query, typedOnly }) => typedOnly ?? query),
  );
  const unknown = words.filter(({ uses }, index) => (uses ?? counts[index]) === 0).map((word) => word.typed);
  if (unknown.length === 0) return undefined;
  const makers = pool.words.makers();
  const mistyped = unknown.filter((word) => !makers.has(plainText(word)));
  const alike = await correctWords(pool, mistyped);
  const split = await splitJoinedWords(
    pool,
    mistyped.filter((word) => !alike.has(word)),
  );
  const known = [...new Set([...alike.values(), ...split.values()].flat())];
  const queries = await queriesOf(pool, known);
  const meant = words.flatMap((word): QueryTerm[] => {
    if (!unknown.includes(word.typed)) return [word];
    const parts = split.get(word.typed)?.map((part) => [part]) ?? [alike.get(word.typed) ?? []];
    const found = parts.map((alternatives) => ({
      typed: alternatives[0] ?? word.typed,
      query: orQueries(alternatives.map((each) => queries.get(each) ?? '').filter(Boolean)),
    }));
    return found.every(({ query }) => query !== '') ? found : strict ? [word] : [];
  });
  if (meant.length === 0) return undefined;
  const query = andQueries(meant.map((word) => word.query));
  const said = [...new Set(unknown)].map((word) => {
    const likes = alike.get(word)?.join(', ') ?? split.get(word)?.join(' ');
    return likes === undefined ? `'${word}'` : `'${word}' (looked for: ${likes})`;
  });
  const likeliest = new Map([...alike].map(([word, [first = word]]) => [word, first]));
  for (const [word, parts] of split) likeliest.set(word, parts.join(' '));
  const corrected = writeCorrection(q.normalize('NFKC'), likeliest);
  return {
    words: meant,
    query,
    warning: searchWarnings.unknownWords(said.join(' and ')),
    corrected: corrected && { ...corrected, from: q },
  };
}

async function queriesOf(pool: Pool, words: readonly string[]): Promise<Map<string, string>> {
  if (words.length === 0) return new Map();
  const { rows } = await pool.query<{ word: string; query: string }>({
    name: 'correct-terms',
    text: `select word, search_query(word)::text as query from unnest($1::text[]) as word`,
    values: [words],
  });
  return new Map(rows.map(({ word, query }) => [word, query]));
}

/** A corrected exact query: its tsquery as text, and how it reads. */
type CorrectedQuery = { query?: string; corrected?: Correction | undefined; warning?: string };

/**
 * Corrects an exact query: mistyped words that stand in no quotation marks are replaced by the likeliest known ones. No query
 * when nothing can be done.
 */
export async function correctQuery(pool: Pool, q: string): Promise<CorrectedQuery> {
  const words = q.replaceAll(/"[^"]*"/g, ' ').split(/[^\p{L}\p{M}\p{N}]+/u);
  const corrections = await correctWords(pool, words.filter(Boolean));
  const corrected = writeCorrection(q, new Map([...corrections].map(([word, [known = word]]) => [word, known])));
  const { rows } = await pool.query<{ query: string }>({
    name: 'correct-query',
    text: 'select search_query($1)::text as query',
    values: [corrected?.to ?? q],
  });
  const query = rows[0]?.query ?? '';
  if (query === '') return { warning: searchWarnings.noWord(q) };
  if (!corrected) return {};
  const said = [...corrections].map(([word, [known]]) => `'${word}' (looked for: ${known})`);
  return { query, corrected, warning: searchWarnings.unknownWords(said.join(' and ')) };
}
