import type { Fingerprint } from './fingerprint.ts';
import { isSalesTalk } from './sales-talk.ts';

/** The weight of a word by inverse document frequency: next to 0 for one in every listing, about 1 for a rare one. */
export type WeightOf = (word: string) => number;

export type WeightedWords = ReadonlyMap<string, number>;

/** A fingerprint with its words weighted, ready for many comparisons. */
export type Features = {
  print: Fingerprint;
  title: WeightedWords;
  titleWeight: number;
  described: WeightedWords;
  joins: ReadonlySet<string>;
  pairs: ReadonlySet<string>;
  letters: ReadonlySet<string>;
  /** Every spelling in this listing that may be a code. */
  spelled: ReadonlySet<string>;
  /** The weight of each image, by its hash. */
  shown: WeightedWords;
  /** The hashes of images that few enough listings show to be of one object. */
  ownImages: readonly string[];
};

/** The smallest corpus size that weights are computed for: in a smaller one every word would seem common. */
const MIN_LISTINGS = 1_000;
/** The least weight of a word, and the factor for words of sales talk. */
const MIN_WEIGHT = 0.02;
const OF_TALK = 0.3;

/** Weights by inverse document frequency among `listings` listings; `uses` is the document frequency of a word. */
export function createWordWeights(listings: number, uses: (word: string) => number): WeightOf {
  const all = Math.max(MIN_LISTINGS, listings) + 1;
  const scale = Math.log(all);
  return (word) => Math.max(MIN_WEIGHT, Math.log(all / (uses(word) + 0.5)) / scale) * (isSalesTalk(word) ? OF_TALK : 1);
}

/** The words whose document frequencies a fingerprint's features need. */
export const distinctWords = ({ title, description }: Fingerprint) => [
  ...new Set([...title.words, ...title.joins, ...description]),
];

/** How many listings show an image of this very hash. */
export type CountImage = (hash: string) => number;

/** More listings than this show no image that is of one object. */
const MAX_OWN_USES = 4;

/** Weights the words and images of a fingerprint; an image weighs as a word does, by how few listings show it. */
export function featuresOf(
  print: Fingerprint,
  weigh: WeightOf,
  weighImage: WeightOf = weigh,
  countImage: CountImage = () => 1,
): Features {
  const images = print.images ?? [];
  const { words, joins } = print.title;
  const title = new Map(words.map((word) => [word, weigh(word)]));
  return {
    print,
    title,
    titleWeight: sumWeights(title),
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

export const sumWeights = (words: WeightedWords) => words.values().reduce((total, weight) => total + weight, 0);
export const sumSquares = (words: WeightedWords) =>
  words.values().reduce((total, weight) => total + weight * weight, 0);
export const maxWeight = (words: WeightedWords) => words.values().reduce((most, weight) => Math.max(most, weight), 0);

/** Cosine similarity of two weighted bags of words, 0 to 1. */
export function cosineSimilarity(a: WeightedWords, b: WeightedWords, shared: WeightedWords): number {
  return sumSquares(shared) / (Math.sqrt(sumSquares(a) * sumSquares(b)) || 1);
}
