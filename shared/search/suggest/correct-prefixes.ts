import { isOneEditApart } from '../query/correct-words.ts';

/**
 * What is known of a word as it was typed: how many titles and frequent searches, up to a crowd of each, can be read from it
 * on, whether any listing has a word that begins so, and where none has, what may have been meant by the word, and by a word that begins so.
 */
export type WordFacts = {
  starts: number;
  isKnown: boolean;
  meant: readonly string[];
  meantToBegin: readonly string[];
};

/** Shorter words are close to too many others. */
export const MIN_CORRECTED_LENGTH = 5;
export const MAX_CORRECTED_LENGTH = 40;
const MAX_ALTERNATIVES = 3;
/** What is a word for everybody who reads a title, whatever stands beside it. */
const PLAIN_WORD = /^[a-z]{4,}$/;

/** What a word may have been, of known ones like it, the likeliest first: at most three, and as many it may be the beginning of. */
export function chooseAlternatives(typed: string, alike: readonly string[]): Pick<WordFacts, 'meant' | 'meantToBegin'> {
  const meant = alike.filter((known) => isOneEditApart(typed, known));
  const meantToBegin = new Set(alike.map((known) => likePrefix(typed, known)).filter((known) => known !== undefined));
  return { meant: meant.slice(0, MAX_ALTERNATIVES), meantToBegin: [...meantToBegin].slice(0, MAX_ALTERNATIVES) };
}

/** Whether some text may have all of these words: each can be read from somewhere on in one. */
export const mayBeFound = (words: readonly string[], facts: ReadonlyMap<string, WordFacts>): boolean =>
  words.every((word) => facts.get(word)?.starts !== 0);

/**
 * What somebody may have meant by these words, most likely first, at most three: each word that no listing has is replaced by
 * a known one with one letter different; the last may be the beginning of one. Empty when nothing can be replaced, or a word
 * stays that nothing has.
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
