import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS, dayOf } from '../../kit/clock.ts';
import { correctPrefixes, mayBeFound, type WordFacts } from './correct-prefixes.ts';
import { createPrefixFinder, type FoundTerm, type FoundTitle } from './by-prefix.ts';
import { findByWords, type WordMatches } from './by-words.ts';
import { createVocabulary, VOCABULARY_TTL_MS } from './vocabulary.ts';
import { TERM_DAYS } from '../terms.ts';

/** `exact` when every suggestion has the prefix as typed, uncorrected. */
export type Suggestions = { titles: FoundTitle[]; terms: FoundTerm[]; exact: boolean };

const MAX_WORDS = 8;
const MAX_CACHED_MISSES = 20_000;

/** A suggestion request: about `limit` of each kind; `mayCorrect` allows spelling correction. */
export type SuggestRequest = { q: string; now: Date; limit: number; mayCorrect: boolean };

/**
 * Suggests titles of active listings, most viewed first, and frequent searches of 30 days: by prefix from any word on; else
 * with all words in any order; else spelling-corrected if `mayCorrect`. Prefix matches are current, the others within a
 * minute.
 */
export function createSuggester(pool: Pool) {
  const findQuickly = createPrefixFinder(pool);
  const lookUp = createVocabulary(pool);
  /** Negative cache: words that nothing matched, and when. */
  const inVain = new LRUCache<string, number>({ max: MAX_CACHED_MISSES });

  return async function findSuggestions({ q, now, limit, mayCorrect }: SuggestRequest): Promise<Suggestions> {
    const since = dayOf(addMilliseconds(now, -TERM_DAYS * DAY_MS));
    const { text, isFrequent, titles, terms } = await findQuickly(q, since, limit);
    const asTyped = isFrequent ? await findByWords(pool, [text], since) : { titles, terms };
    if (!isEmpty(asTyped) || text === '') return { ...asTyped, exact: !isEmpty(asTyped) };
    const words = text.split(' ').slice(0, MAX_WORDS);
    const isInVain = Math.abs(now.getTime() - (inVain.get(text) ?? -Infinity)) < VOCABULARY_TTL_MS;
    if (isInVain || (words.length === 1 && !mayCorrect)) return { ...asTyped, exact: false };
    const facts = await lookUp(words, now);
    if (words.length > 1) {
      const anywhere = await findInAnyOrder(words, facts, since);
      if (!isEmpty(anywhere)) return { ...anywhere, exact: true };
    }
    for (const corrected of mayCorrect ? correctPrefixes(words, facts) : []) {
      const meant = await findMeant(corrected, { since, now, limit });
      if (!isEmpty(meant)) return { ...meant, exact: false };
    }
    if (mayCorrect) inVain.set(text, now.getTime());
    return { ...asTyped, exact: false };
  };

  /** Completions of one word by prefix, of several words in any order. */
  async function findMeant(words: string[], { since, now, limit }: { since: string; now: Date; limit: number }) {
    const [word = '', ...others] = words;
    if (others.length === 0) {
      const { isFrequent, titles, terms } = await findQuickly(word, since, limit);
      return isFrequent ? findByWords(pool, words, since) : { titles, terms };
    }
    return findInAnyOrder(words, await lookUp(words, now), since);
  }

  async function findInAnyOrder(words: readonly string[], facts: ReadonlyMap<string, WordFacts>, since: string) {
    return mayBeFound(words, facts) ? findByWords(pool, rarestFirst(words, facts), since) : NOTHING;
  }
}

const NOTHING: WordMatches = { titles: [], terms: [] };

const isEmpty = ({ titles, terms }: WordMatches) => titles.length === 0 && terms.length === 0;

/** The rarest word first: all of its completions are read where it is no frequent prefix; of frequent ones the longest is the rarest. */
const rarestFirst = (words: readonly string[], facts: ReadonlyMap<string, WordFacts>) => {
  const starts = (word: string) => facts.get(word)?.starts ?? 0;
  return words.toSorted((a, b) => starts(a) - starts(b) || b.length - a.length);
};
