import { cosineSimilarity, maxWeight, sumWeights, type Features, type WeightedWords } from './features.ts';
import { NEAR_BITS, nearestImages, SAME_BITS, sharedImages } from './image-hashes.ts';
import type { Fingerprint } from './fingerprint.ts';

/** Similarity signals of two listings by name, each from 0 to about 1; unknown ones are 0. */
export type Signals = ReturnType<typeof signalsOf>;

/** The weight of shared rare words at which their signal saturates. */
const MUCH_SHARED = 8;
const MAX_OWN_WORDS = 3;
const FARTHEST_PRICE = 1.5;

/** Compares two listings: their words, codes, numbers, descriptions, prices, makes and images. */
export function signalsOf(a: Features, b: Features) {
  const shared = sharedWords(a, b);
  const weight = sumWeights(shared);
  const [restA, restB] = [Math.max(0, a.titleWeight - weight), Math.max(0, b.titleWeight - weight)];
  const lighter = Math.min(a.titleWeight, b.titleWeight);
  const [ownA, ownB] = [maxWeight(without(a.title, shared)), maxWeight(without(b.title, shared))];
  const numbers = differing(a.print.title.numbers, b.print.title.numbers);
  const told = [toldBy(a, b, shared), toldBy(b, a, shared)] as const;
  return {
    title: cosineSimilarity(a.title, b.title, shared),
    title_part: weight / (lighter || 1),
    told_elsewhere: Math.max(...told),
    told_both: Math.min(...told),
    near_words: nearWords(a, b, shared),
    only_in_one: Math.abs(restA - restB) / (a.titleWeight + b.titleWeight || 1),
    own_words: Math.min(ownA, ownB),
    own_most: Math.max(ownA, ownB),
    own_count: Math.min(MAX_OWN_WORDS, Math.min(a.title.size, b.title.size) - shared.size) / MAX_OWN_WORDS,
    shared_mass: Math.min(1, weight / MUCH_SHARED),
    rarest_shared: maxWeight(shared),
    in_order: a.pairs.intersection(b.pairs).size / (Math.min(a.title.size, b.title.size) - 1 || 1),
    letters: a.letters.intersection(b.letters).size / (a.letters.union(b.letters).size || 1),
    code_shared: sharedCode(a, b),
    code_other: hasOtherCode(a, b) ? 1 : 0,
    number_other: numbers === 'both' ? 1 : 0,
    number_one_sided: numbers === 'one' ? 1 : 0,
    number_shared: sharesAny(a.print.title.numbers, b.print.title.numbers) ? 1 : 0,
    measure_shared: sharesAny(a.print.title.measures, b.print.title.measures) ? 1 : 0,
    measure_other: hasOtherMeasure(a.print.title.measures, b.print.title.measures) ? 1 : 0,
    ...compareDescriptions(a, b),
    ...comparePrices(a.print, b.print),
    brand_other: hasOtherBrand(a.print.brand, b.print.brand) ? 1 : 0,
    brand_shared: b.spelled.has(a.print.brand ?? '') || a.spelled.has(b.print.brand ?? '') ? 1 : 0,
    ...compareProductCodes(a.print, b.print),
    ...compareImages(a.print, b.print),
    picture_rare: rarestShown(a.shown, b.shown),
    images_shared: sharedImages(a.ownImages, b.ownImages).length,
  };
}

/** The words that both titles have, also where one writes apart what the other writes together. */
function sharedWords(a: Features, b: Features): WeightedWords {
  const shared = new Map<string, number>();
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const)
    for (const [word, weight] of one.title)
      if (other.title.has(word) || other.joins.has(word)) shared.set(word, weight);
  return shared;
}

const sharesAny = (a: readonly string[], b: readonly string[]) => a.some((each) => b.includes(each));

/** The share of the weight of what only one title says that the other one says in nearly the same letters. */
function nearWords(a: Features, b: Features, shared: WeightedWords): number {
  const [restA, restB] = [without(a.title, shared), without(b.title, shared)];
  let near = 0;
  for (const [word, weight] of restA)
    if (isWritten(word) && restB.keys().some((other) => isWritten(other) && areNearSpellings(word, other)))
      near += weight;
  return near / (sumWeights(restA) || 1);
}

const MIN_WRITTEN = 4;
const NEAR_SPELLING = 0.7;
/** A word that is long enough to be told from others in spite of a typing error; codes are never near. */
const isWritten = (word: string) => word.length >= MIN_WRITTEN && !/\d/.test(word);

/** Whether two words begin and end alike over most of the longer one: a typing error, an ending, letters left out. */
function areNearSpellings(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  let [start, end] = [0, 0];
  while (start < shorter.length && shorter[start] === longer[start]) start += 1;
  while (end < shorter.length - start && shorter.at(-1 - end) === longer.at(-1 - end)) end += 1;
  return start + end >= NEAR_SPELLING * longer.length;
}

const without = (words: WeightedWords, taken: WeightedWords): WeightedWords =>
  new Map([...words].filter(([word]) => !taken.has(word)));

/** The share of a title's weight that the other listing says anywhere. */
function toldBy(teller: Features, other: Features, shared: WeightedWords): number {
  let told = 0;
  for (const [word, weight] of teller.title) if (shared.has(word) || other.described.has(word)) told += weight;
  return told / (teller.titleWeight || 1);
}

function sharedCode(a: Features, b: Features): number {
  const met = [
    ...a.print.title.codes.filter((code) => says(b, code)).map((code) => a.title.get(code) ?? 0),
    ...b.print.title.codes.filter((code) => says(a, code)).map((code) => b.title.get(code) ?? 0),
  ];
  return Math.max(0, ...met);
}

function hasOtherCode(a: Features, b: Features): boolean {
  const [ofA, ofB] = [a.print.title.codes, b.print.title.codes];
  if (ofA.length === 0 || ofB.length === 0) return false;
  return !ofA.some((code) => says(b, code)) && !ofB.some((code) => says(a, code));
}

const MIN_STEM = 5;
const MAX_SUFFIX = 2;

/** A code, or the code with a suffix (a colour, a market) of up to two signs. */
function says({ spelled }: Features, code: string): boolean {
  if (spelled.has(code)) return true;
  if (code.length < MIN_STEM) return false;
  for (const other of spelled)
    if (
      other.length >= MIN_STEM &&
      Math.abs(other.length - code.length) <= MAX_SUFFIX &&
      (other.startsWith(code) || code.startsWith(other)) &&
      /\d/.test(other)
    )
      return true;
  return false;
}

/** Which of two sets has elements that the other lacks. */
function differing(a: readonly string[], b: readonly string[]): 'none' | 'one' | 'both' {
  const onlyA = a.some((each) => !b.includes(each));
  const onlyB = b.some((each) => !a.includes(each));
  return onlyA && onlyB ? 'both' : onlyA || onlyB ? 'one' : 'none';
}

/** Whether there is a unit that both measure in without one measure in common. */
function hasOtherMeasure(a: readonly string[], b: readonly string[]): boolean {
  return a.some((measure) => {
    const inUnit = (each: string) => unitOf(each) === unitOf(measure);
    return b.some(inUnit) && !a.filter(inUnit).some((each) => b.includes(each));
  });
}

const unitOf = (measure: string) => measure.slice(0, measure.indexOf(':'));

/** Whether both name a maker, and neither name is part of the other. */
function hasOtherBrand(a: string | undefined, b: string | undefined): boolean {
  return Boolean(a && b && !a.includes(b) && !b.includes(a));
}

/** Numbers of a kind of goods: the same one is strong evidence, and no proof of one object. */
function compareProductCodes({ gtin: one, mpn: part }: Fingerprint, { gtin: other, mpn: otherPart }: Fingerprint) {
  const isSame = (one !== undefined && one === other) || (part !== undefined && part === otherPart);
  return { product_same: isSame ? 1 : 0, product_other: !isSame && one && other ? 1 : 0 };
}

const MIN_DESCRIPTION = 3;

function compareDescriptions(a: Features, b: Features) {
  if (Math.min(a.described.size, b.described.size) < MIN_DESCRIPTION) return { description: 0, description_unknown: 1 };
  const shared = new Map([...a.described].filter(([word]) => b.described.has(word)));
  return { description: cosineSimilarity(a.described, b.described, shared), description_unknown: 0 };
}

function comparePrices({ price: one }: Fingerprint, { price: other }: Fingerprint) {
  const comparable = one?.currency === undefined || other?.currency === undefined || one.currency === other.currency;
  if (!one?.amount || !other?.amount || !comparable) return { price_far: 0, price_same: 0, price_unknown: 1 };
  const ratio = Math.abs(Math.log(one.amount / other.amount));
  return { price_far: Math.min(FARTHEST_PRICE, ratio), price_same: ratio < 0.005 ? 1 : 0, price_unknown: 0 };
}

/** So many of 64 bits differ at most between look-alikes. */
const ALIKE_BITS = 12;

function compareImages(a: Fingerprint, b: Fingerprint) {
  const bits = nearestImages(a.images ?? [], b.images ?? []);
  const known = bits ?? 64;
  return {
    picture_same: known <= SAME_BITS ? 1 : 0,
    picture_near: known > SAME_BITS && known <= NEAR_BITS ? 1 : 0,
    picture_alike: known > NEAR_BITS && known <= ALIKE_BITS ? 1 : 0,
    picture_other: bits === undefined ? 0 : Math.min(1, Math.max(0, (bits - ALIKE_BITS) / ALIKE_BITS)),
    picture_unknown: bits === undefined ? 1 : 0,
  };
}

/** The weight of the rarest image that both show to the bit. */
const rarestShown = (a: WeightedWords, b: WeightedWords) =>
  a.entries().reduce((most, [hash, weight]) => (b.has(hash) ? Math.max(most, weight) : most), 0);
