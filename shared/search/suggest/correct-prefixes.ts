import { isOneEditApart } from '../query/correct-words.ts';

/**
 * Facts about a typed word: how many titles and frequent searches have a word from it on (up to FREQUENT_FROM each),
 * whether any listing has a word that begins so, and, where none has, known words within one edit of it, or whose beginning
 * is.
 */
export type WordFacts = {
  starts: number;
  isKnown: boolean;
  meant: readonly string[];
  meantToBegin: readonly string[];
};

/** Shorter words are within one edit of too many others. */
export const MIN_CORRECTED_LENGTH = 5;
export const MAX_CORRECTED_LENGTH = 40;
const MAX_ALTERNATIVES = 3;
/** What is a word for everybody who reads a title, whatever stands beside it. */
const PLAIN_WORD = /^[a-z]{4,}$/;

/** The likeliest corrections of a word among similar known ones: at most three, and as many that it may be a prefix of. */
export function chooseAlternatives(typed: string, alike: readonly string[]): Pick<WordFacts, 'meant' | 'meantToBegin'> {
  const meant = alike.filter((known) => isOneEditApart(typed, known));
  const meantToBegin = new Set(alike.map((known) => likePrefix(typed, known)).filter((known) => known !== undefined));
  return { meant: meant.slice(0, MAX_ALTERNATIVES), meantToBegin: [...meantToBegin].slice(0, MAX_ALTERNATIVES) };
}

/** Whether some text may have all of these words: each can be read from somewhere on in one. */
export const mayBeFound = (words: readonly string[], facts: ReadonlyMap<string, WordFacts>): boolean =>
  words.every((word) => facts.get(word)?.starts !== 0);

/**
 * Spelling correction of a prefix search: at most three readings, likeliest first, in which each unknown word is replaced
 * by a known one within one edit; the last word may be a prefix of one. Empty when a word has no correction.
 */
export function correctPrefixes(words: readonly string[], facts: ReadonlyMap<string, WordFacts>): string[][] {
  const last = words.at(-1);
  const choices = words.map((word) => {
    const { meant, meantToBegin } = facts.get(word) ?? { meant: [], meantToBegin: [] };
    return word === last ? meantToBegin : meant;
  });
  if (words.some((word, at) => choices[at]!.length === 0 && isUnknown(word, facts.get(word)))) return [];
  const most = Math.max(0, ...choices.map(({ length }) => length));
  return Array.from({ length: most }, (_, rank) =>
    words.map((word, at) => choices[at]![rank] ?? choices[at]![0] ?? word),
  );
}

const isUnknown = (word: string, facts: WordFacts | undefined) =>
  facts !== undefined && facts.starts === 0 && !facts.isKnown && PLAIN_WORD.test(word);

/** The beginning of a known word that differs by one letter from what was typed. */
function likePrefix(typed: string, known: string): string | undefined {
  const { length } = typed;
  return [known, ...[length, length + 1, length - 1].map((end) => known.slice(0, end))].find((beginning) =>
    isOneEditApart(typed, beginning),
  );
}
