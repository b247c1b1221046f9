import type { Pool } from 'pg';
import type { PhrasePairs, SearchPool } from '../search-pool.ts';
import { localeWords } from '../query/stop-words.ts';
import { parseTsquery, type Pair } from './tsquery.ts';
import { lexemePairKey, pairToken, wordToken } from './words.ts';

/** The words of a listing and of its title, and the pairs that are known, each head, gap and tail in a string. */
export type Vectors = { words: string[]; title_words: string[]; pairs: string[]; title_pairs: string[] };

const SEPARATOR = '\u001F';

/**
 * Selects Vectors of rows s of listing_search: the words that PostgreSQL has made of a listing, by which both engines find it.
 * Pairs are all neighbours among Hangul, kana and Chinese characters, and what the parameters 2 to 4 name.
 */
export const wordsColumns = `tsvector_to_array(s.words) as words, tsvector_to_array(s.title) as title_words,
  ${pairsOf('s.words')} as pairs, ${pairsOf('s.title')} as title_pairs`;

function pairsOf(vector: string): string {
  return `(with places as materialized (select w.lexeme, place from unnest(${vector}) as w (lexeme, positions, weights), unnest(w.positions) as place)
    select coalesce(array_agg(distinct concat_ws(E'\\x1F', head, gap, tail)), '{}') from (
      select a.lexeme as head, 1 as gap, b.lexeme as tail from places a join places b on b.place = a.place + 1
      where ascii(a.lexeme) >= 4352 and ascii(b.lexeme) >= 4352
      union all
      select k.head, k.gap, k.tail from unnest($2::text[], $3::int[], $4::text[]) as k (head, gap, tail)
      join places a on a.lexeme = k.head join places b on b.lexeme = k.tail and b.place = a.place + k.gap) as found)`;
}

/** The fields of words of a document. */
export const wordFieldsOf = ({ words, title_words: title, pairs, title_pairs: titlePairs }: Vectors) => ({
  words: [...words.map(wordToken), ...pairs.map(readPair).map(pairToken)],
  title_words: [...title.map(wordToken), ...titlePairs.map(readPair).map(pairToken)],
});

function readPair(text: string): Pair {
  const [head = '', gap = '', tail = ''] = text.split(SEPARATOR);
  return { head, gap: Number(gap), tail };
}

/** The pairs that what is said in several words is made of (query/synonyms.ts), as PostgreSQL's dictionary reads them. */
export function readKnownPairs(pool: SearchPool): Promise<PhrasePairs> {
  if (pool.words.pairs) return pool.words.pairs;
  const known = readPairs(pool);
  pool.words.pairs = known;
  known.catch(() => (pool.words.pairs = undefined));
  return known;
}

async function readPairs(pool: Pool): Promise<PhrasePairs> {
  const phrases = localeWords.flatMap(({ same, oneWay }) => [...same, ...oneWay].flat());
  const { rows } = await pool.query<{ query: string }>(
    `select phraseto_tsquery('quayside', spaced_text(replace(phrase, '-', ' '), false))::text as query from unnest($1::text[]) as phrase`,
    [[...new Set(phrases)]],
  );
  const pairs = new Map<string, Pair>();
  for (const { query } of rows) {
    const read = parseTsquery(query);
    if (read && 'phrase' in read) for (const pair of read.phrase) pairs.set(lexemePairKey(pair), pair);
  }
  return { pairs: [...pairs.values()], keys: new Set(pairs.keys()) };
}
