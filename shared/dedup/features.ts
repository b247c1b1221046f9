import type { Print } from './print.ts';
import { isTalk } from './sales-talk.ts';

/** How telling a word is: next to 0 for one that every listing has, about 1 for one that few have. */
export type Weigh = (word: string) => number;

export type Weighed = ReadonlyMap<string, number>;

/** A print made ready for many comparisons. */
export type Features = {
  print: Print;
  title: Weighed;
  titleWeight: number;
  described: Weighed;
  joins: ReadonlySet<string>;
  pairs: ReadonlySet<string>;
  letters: ReadonlySet<string>;
  /** Every way in which this listing writes something that may be a code. */
  spelled: ReadonlySet<string>;
  /** How telling each image is, by its hash. */
  shown: Weighed;
  /** The hashes of images that so few listings show that they may be of one object. */
  ownImages: readonly string[];
};

/** Among fewer listings any word is in a great part of them, and would seem to tell little. */
const MIN_LISTINGS = 1_000;
/** What a word weighs at least, and what is left of the weight of one that sellers say of anything. */
const MIN_WEIGHT = 0.02;
const OF_TALK = 0.3;

/** How telling the words of `listings` listings are, by the number of listings that use each. */
export function weighBy(listings: number, uses: (word: string) => number): Weigh {
  const all = Math.max(MIN_LISTINGS, listings) + 1;
  const scale = Math.log(all);
  return (word) => Math.max(MIN_WEIGHT, Math.log(all / (uses(word) + 0.5)) / scale) * (isTalk(word) ? OF_TALK : 1);
}

/** The words of a print that weighing asks for. */
export const wordsOf = ({ title, description }: Print) => [
  ...new Set([...title.words, ...title.joins, ...description]),
];

/** How many listings show an image of this very hash. */
export type CountImage = (hash: string) => number;

/** More listings than this show no image that is of one object. */
const MAX_OWN_USES = 4;

/** A print made ready for comparisons; an image is weighed like a word: one that many show tells as little. */
export function featuresOf(
  print: Print,
  weigh: Weigh,
  weighImage: Weigh = weigh,
  countImage: CountImage = () => 1,
): Features {
  const images = print.images ?? [];
  const { words, joins } = print.title;
  const title = new Map(words.map((word) => [word, weigh(word)]));
  return {
    print,
    title,
    titleWeight: sum(title),
    described: new Map(print.description.map((word) => [word, weigh(word)])),
    joins: new Set(joins),
    pairs: new Set(words.slice(1).map((word, index) => `${words[index]} ${word}`)),
    letters: new Set(words.flatMap(threes)),
    spelled: new Set([...words, ...joins, ...print.codes, ...print.description]),
    shown: new Map(images.map((hash) => [hash, weighImage(hash)])),
    ownImages: images.filter((hash) => countImage(hash) <= MAX_OWN_USES),
  };
}

const threes = (word: string) =>
  Array.from({ length: Math.max(1, word.length) }, (_, at) => ` ${word} `.slice(at, at + 3));

export const sum = (words: Weighed) => words.values().reduce((total, weight) => total + weight, 0);
export const squares = (words: Weighed) => words.values().reduce((total, weight) => total + weight * weight, 0);
export const heaviest = (words: Weighed) => words.values().reduce((most, weight) => Math.max(most, weight), 0);

/** How alike two weighed texts are, from 0 to 1. */
export function cosine(a: Weighed, b: Weighed, shared: Weighed): number {
  return squares(shared) / (Math.sqrt(squares(a) * squares(b)) || 1);
}
