import { andConditions, orConditions } from './conditions.ts';
import { token } from './encode.ts';
import { parseTsquery, type Pair, type Tsquery } from './tsquery.ts';

/** The index cannot answer this query exactly; PostgreSQL has to. */
export class UnsupportedQuery extends Error {}

/** The fields of a document that hold what PostgreSQL's dictionary has made of its words: of all, and of its title. */
export type WordField = 'words' | 'title_words';

/** Pairs of words, so many places apart, that documents have as words of their own. */
export type KnownPairs = ReadonlySet<string>;

const PLAIN = /^[a-z0-9]{1,40}$/;
const TOKEN = /^k[0-9a-f]{20}$/;

/** A word of PostgreSQL's dictionary as one of the index, which knows letters without accents, digits, and nothing else. */
export const wordToken = (lexeme: string) =>
  PLAIN.test(lexeme) && !TOKEN.test(lexeme) ? lexeme : token('word', lexeme);

/** Two words that follow one another, as one word of the index. */
export const pairToken = (pair: Pair) => token('pair', lexemePairKey(pair));

/** Tells pairs apart. */
export const lexemePairKey = ({ head, gap, tail }: Pair) => [head, gap, tail].join('\u001F');

/** Hangul, kana and Chinese characters: PostgreSQL looks for what they make up as pairs of them that follow one another. */
const firstOfThose = 0x11_00;
const isRunOn = ({ head, gap, tail }: Pair) =>
  gap === 1 && [head, tail].every((each) => (each.codePointAt(0) ?? 0) >= firstOfThose);

/**
 * The condition of `filter_by` for documents that a tsquery matches, by the words in one of their fields; NotUnderstood for
 * what documents do not tell: beginnings of words, weights, and rows of words other than those known.
 */
export function filterByWords(tsquery: string, field: WordField, known: KnownPairs): string {
  const query = parseTsquery(tsquery);
  if (!query) throw new UnsupportedQuery(`the index cannot look for ${tsquery}`);
  return conditionOf(query, { field, known });
}

type Where = { field: WordField; known: KnownPairs };

function conditionOf(query: Tsquery, where: Where): string {
  if ('not' in query) return without(query.not, where);
  if ('all' in query) return andConditions(query.all.map((each) => conditionOf(each, where)));
  if (!('any' in query)) return andConditions(tokensOf(query, where).map((each) => `${where.field}:=${each}`));
  const single: string[] = [];
  const others: string[] = [];
  for (const each of query.any) {
    const tokens = isLeaf(each) ? tokensOf(each, where) : [];
    if (tokens.length === 1) single.push(...tokens);
    else others.push(conditionOf(each, where));
  }
  const list = [...new Set(single)];
  // A list is one condition, of which there may not be many.
  return orConditions([...(list.length > 0 ? [`${where.field}:=[${list.join(',')}]`] : []), ...others]);
}

function without(query: Tsquery, where: Where): string {
  if ('not' in query) return conditionOf(query.not, where);
  if ('all' in query) return orConditions(query.all.map((each) => without(each, where)));
  if ('any' in query) return andConditions(query.any.map((each) => without(each, where)));
  const [only = '', ...more] = tokensOf(query, where);
  if (more.length > 0) throw new UnsupportedQuery('the index cannot leave out more than two words in a row');
  return `${where.field}:!=${only}`;
}

type Leaf = Extract<Tsquery, { word: string } | { phrase: Pair[] }>;
const isLeaf = (query: Tsquery): query is Leaf => 'word' in query || 'phrase' in query;

function tokensOf(query: Leaf, { known }: Where): string[] {
  if ('word' in query) return [wordToken(query.word)];
  if (!query.phrase.every((pair) => isRunOn(pair) || known.has(lexemePairKey(pair))))
    throw new UnsupportedQuery('the index does not know these words as a row');
  return query.phrase.map(pairToken);
}
