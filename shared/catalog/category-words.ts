import generalWords from '../../db/seed/category-words.general.json' with { type: 'json' };
import nauticalWords from '../../db/seed/category-words.nautical.json' with { type: 'json' };
import { createPhraseFinder } from '../kit/phrases.ts';
import type { Profile } from '../profiles/profile.ts';

type WordLists = Record<string, readonly string[] | undefined>;

/** What words say about categories: category id -> phrases in several languages, in the notation of createPhraseFinder. */
export type CategoryWords = {
  /** Where a record goes that no word places. */
  fallback: string;
  /** Subtrees of parts and accessories: beside a word for the thing itself, theirs tells what is offered ("sailboat winch"). */
  accessories: readonly string[];
  /** Words that name the category wherever they stand. */
  words: WordLists;
  /** Words that name it only in a category field or a breadcrumb. */
  hints: WordLists;
  /** Words that hardly narrow it down. */
  generic: WordLists;
  /** Makers that stand for one kind of thing, at the start of a title; `^` marks those that count as its very first word only. */
  brands: WordLists;
};

export type Kind = 'word' | 'hint' | 'generic' | 'brand';
export type Meaning = { category: string; kind: Kind; first: boolean };

const wordsOf: Record<Profile['name'], CategoryWords> = { general: generalWords, nautical: nauticalWords };

/** The words of that profile. */
export function categoryWordsOf(profile: Profile['name']): CategoryWords {
  return wordsOf[profile];
}

/** A search for all words of the lists in a text; each match tells what the words may mean. */
export function compileWords({ words, hints, generic, brands }: CategoryWords) {
  return createPhraseFinder<Meaning>([
    ...meanings('word', words),
    ...meanings('hint', hints),
    ...meanings('generic', generic),
    ...meanings('brand', brands),
  ]);
}

function* meanings(kind: Kind, lists: WordLists): Generator<[string, Meaning]> {
  for (const [category, phrases = []] of Object.entries(lists)) {
    for (const phrase of phrases) {
      const first = phrase.startsWith('^');
      yield [first ? phrase.slice(1) : phrase, { category, kind, first }];
    }
  }
}
