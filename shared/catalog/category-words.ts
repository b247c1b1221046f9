import { createPhraseFinder, plainText } from '../kit/phrases.ts';
import type { CategoryWords, Profile } from '../profiles/profile.ts';

export type Kind = 'word' | 'hint' | 'generic' | 'brand';
export type Meaning = { category: string; kind: Kind; first: boolean };

/** A search for all words of the lists in a text; each match tells what the words may mean. */
export function compileWords({ words, hints, generic, brands }: CategoryWords) {
  return createPhraseFinder<Meaning>([
    ...meanings('word', words),
    ...meanings('hint', hints),
    ...meanings('generic', generic),
    ...meanings('brand', brands),
  ]);
}

/** The words that names of makers are made of, as plainText has them. */
export const makerWords = ({ categoryWords }: Pick<Profile, 'categoryWords'>): ReadonlySet<string> =>
  new Set([...meanings('brand', categoryWords.brands)].flatMap(([phrase]) => plainText(phrase).split(' ')));

function* meanings(kind: Kind, lists: CategoryWords['words']): Generator<[string, Meaning]> {
  for (const [category, phrases = []] of Object.entries(lists)) {
    for (const phrase of phrases) {
      const first = phrase.startsWith('^');
      yield [first ? phrase.slice(1) : phrase, { category, kind, first }];
    }
  }
}
