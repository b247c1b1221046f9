import { createPhraseFinder } from '../kit/phrases.ts';
import type { CategoryWords } from '../profiles/profile.ts';

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

function* meanings(kind: Kind, lists: CategoryWords['words']): Generator<[string, Meaning]> {
  for (const [category, phrases = []] of Object.entries(lists)) {
    for (const phrase of phrases) {
      const first = phrase.startsWith('^');
      yield [first ? phrase.slice(1) : phrase, { category, kind, first }];
    }
  }
}
