import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS, dayOf } from '../../kit/clock.ts';
import { TERM_DAYS } from '../terms.ts';
import { findByPrefix, type FoundTitle } from './by-prefix.ts';
import { findByWords, type WordMatches } from './by-words.ts';
import { correctPrefix } from './corrections.ts';
import type { FoundTerm } from './popularity.ts';
import { foldTyped } from './text.ts';
import { createVocabulary, VOCABULARY_TTL_MS } from './vocabulary.ts';

/** `exact` when every suggestion has the prefix as typed, uncorrected. */
export type Suggestions = { titles: FoundTitle[]; terms: FoundTerm[]; exact: boolean };

const MAX_WORDS = 8;
const MAX_CACHED_MISSES = 20_000;
/** Where no search and fewer titles than this begin with what was typed, it may be mistyped all the same. */
const FEW_TITLES = 3;

/** A suggestion request: about `limit` of each kind; `mayCorrect` allows spelling correction. */
export type SuggestRequest = { q: string; now: Date; limit: number; mayCorrect: boolean };
type Scope = { now: Date; since: string; limit: number };

/**
 * Suggests titles of active listings, most viewed first, and frequent searches of 30 days, recent ones counting more: by
 * prefix from any word on; else with all words in any order; else spelling-corrected if `mayCorrect`. Prefix matches are
 * current, the others within a minute.
 */
export function createSuggester(pool: Pool) {
  const countCompletions = createVocabulary(pool);
  /** Negative cache: texts that no correction matched, and when. */
  const inVain = new LRUCache<string, number>({ max: MAX_CACHED_MISSES });

  return async function findSuggestions({ q, now, limit, mayCorrect }: SuggestRequest): Promise<Suggestions> {
    const scope = { now, since: dayOf(addMilliseconds(now, -TERM_DAYS * DAY_MS)), limit };
    const text = await foldTyped(pool, q);
    if (text === '') return { ...NOTHING, exact: false };
    const words = text.split(' ').slice(0, MAX_WORDS);
    const typed = await complete(text, scope);
    const isFound = !isEmpty(typed);
    const asTyped = isFound || words.length === 1 ? typed : await findInAnyOrder(words, scope);
    const isPoor = asTyped.terms.length === 0 && asTyped.titles.length < FEW_TITLES;
    const isInVain = Math.abs(now.getTime() - (inVain.get(text) ?? -Infinity)) < VOCABULARY_TTL_MS;
    if (!mayCorrect || !isPoor || isInVain) return { ...asTyped, exact: !isEmpty(asTyped) };
    const meant = await correct(text, words, scope, !isEmpty(asTyped));
    if (isEmpty(meant)) inVain.set(text, now.getTime());
    const titles = [
      ...asTyped.titles,
      ...meant.titles.filter(({ id }) => asTyped.titles.every((one) => one.id !== id)),
    ];
    return { titles, terms: meant.terms, exact: !isEmpty(asTyped) };
  };

  async function complete(text: string, { since, limit }: Scope): Promise<WordMatches> {
    const { titles, terms, isFrequent } = await findByPrefix(pool, text, since, limit);
    return isFrequent ? findByWords(pool, [text], since) : { titles, terms };
  }

  /** What a mistyped text may mean: as a whole; where nothing begins like it, word by word in any order. */
  async function correct(text: string, words: readonly string[], scope: Scope, searchesOnly: boolean) {
    const meant = await findAll(await correctPrefix(pool, text, { searchesOnly }), (each) => complete(each, scope));
    if (!isEmpty(meant) || searchesOnly || words.length === 1) return meant;
    const completions = await countCompletions(words, scope.now);
    const choices = await Promise.all(
      words.map(async (word, at) =>
        completions.get(word) === 0 ? correctPrefix(pool, word, { whole: at < words.length - 1 }) : [word],
      ),
    );
    if (choices.some(({ length }) => length === 0)) return NOTHING;
    const most = Math.max(...choices.map(({ length }) => length));
    const readings = Array.from({ length: most }, (_, rank) => choices.map((each) => each[rank] ?? each[0]!));
    return findAll(readings, (reading) => findInAnyOrder(reading, scope));
  }

  async function findInAnyOrder(words: readonly string[], { now, since }: Scope): Promise<WordMatches> {
    const completions = await countCompletions(words, now);
    const countOf = (word: string) => completions.get(word) ?? 0;
    if (words.some((word) => countOf(word) === 0)) return NOTHING;
    // All completions of the rarest word are read where it is no frequent prefix; of frequent ones the longest is the rarest.
    const rarestFirst = words.toSorted((a, b) => countOf(a) - countOf(b) || b.length - a.length);
    return findByWords(pool, rarestFirst, since);
  }
}

const NOTHING: WordMatches = { titles: [], terms: [] };

const isEmpty = ({ titles, terms }: WordMatches) => titles.length === 0 && terms.length === 0;

/** The searches of the readings, most popular first, and the titles of the likeliest one that has any; one with titles alone ends it. */
async function findAll<Reading>(
  readings: readonly Reading[],
  find: (reading: Reading) => Promise<WordMatches>,
): Promise<WordMatches> {
  const found: WordMatches[] = [];
  for (const reading of readings) {
    const matches = await find(reading);
    found.push(matches);
    if (matches.terms.length === 0 && matches.titles.length > 0) break;
  }
  const terms = new Map(found.flatMap((each) => each.terms).map((term) => [term.query, term]));
  return {
    titles: found.find(({ titles }) => titles.length > 0)?.titles ?? [],
    terms: [...terms.values()].sort((a, b) => b.popularity - a.popularity),
  };
}
