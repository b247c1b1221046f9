import { findContradiction } from '../../shared/dedup/contradict.ts';
import { signalsOf, type Signals } from '../../shared/dedup/compare.ts';
import type { Features } from '../../shared/dedup/features.ts';
import { contextValues, neighboursOf, MIN_SCORE, type ScoredPair } from '../../shared/dedup/context.ts';
import { makeFingerprint } from '../../shared/dedup/fingerprint.ts';
import { DETECTED_FROM, capScore } from '../../shared/dedup/cap-score.ts';
import { parseWeights, sigmoid, logOddsOf, signalValues, type SignalValues } from '../../shared/dedup/score.ts';
import { alone, withoutImages, withImages, type Weights } from '../../shared/dedup/weights.ts';
import { pairKey, readAbtBuy, readAmazonGoogle, readShopee, type Labelled } from './dedup-data.ts';
import { featuresOfAll, findCandidates } from './dedup-find.ts';
import { fitLogistic } from './dedup-logistic.ts';

type Learnt = { alone: Weights; pictured: Weights; bare: Weights };
type Pair = { first: number; second: number; signals: Signals; isMatch: boolean; weight: number };
type Measured = { set: Labelled; features: Features[]; pairs: Pair[] };

/** Learning features at pairs that are not hopeless: of the rest there are too many of one kind. */
const HOPELESS = 0.004;
/** The more pairs of one product there are, the less each of them counts. */
const LARGE = 0.3;
/** What the logarithm of how few listings there are weighs: one set does not tell it, halves of it do. */
const FEW = 0.7;
/** One shop names who made it, the other who sells it: what another brand weighs is not told by these. */
const OTHER_BRAND = -1;
/** With a little to spare beyond what has to be reached elsewhere. */
const WISHED = 0.954;
const SHARES = new Map([['dedup-shopee-matching', 4]]);

/** Compares the candidates of a labelled set as the service does. */
function measure(set: Labelled): Measured {
  const prints = set.subjects.map(makeFingerprint);
  const features = featuresOfAll(prints);
  const alike = new Map<number, number>();
  for (const end of [...set.matches].flatMap((pair) => pair.split(' ').map(Number)))
    alike.set(end, (alike.get(end) ?? 0) + 1);
  const labelled = new Set([...set.matches].flatMap((pair) => pair.split(' ').map(Number)));
  const pairs = findCandidates(prints, (a, b) => !set.across || a.source !== b.source).flatMap(
    ([first, second]): Pair[] => {
      const [a, b] = [features[first], features[second]];
      if (!a || !b || findContradiction(a.print, b.print)) return [];
      const isMatch = set.matches.has(pairKey(first, second));
      // Where labels are kept aside, a pair of two that none is known of may well be a match.
      const doubt = isMatch ? 1.6 : labelled.has(first) || labelled.has(second) ? 1 : 0.45;
      const weight = set.told < 1 ? doubt : isMatch ? (alike.get(first) ?? 1) ** -LARGE : 1;
      return [{ first, second, signals: signalsOf(a, b), isMatch, weight }];
    },
  );
  return { set, features, pairs };
}

type Rows = { pairs: readonly { isMatch: boolean; weight: number }[]; values: SignalValues[]; share: number };

function learn(terms: readonly string[], sets: readonly Rows[], ridge: number, given: Weights['terms'] = {}): Weights {
  const parts = terms.map((term) => term.split(' x '));
  const all = sets.flatMap(({ pairs, values, share }) => {
    const total = pairs.reduce((sum, { weight }) => sum + weight, 0);
    return pairs.map(({ isMatch, weight }, index) => {
      const row = new Float64Array(parts.length + 1).fill(1);
      for (const [at, names] of parts.entries())
        for (const name of names) row[at + 1] = (row[at + 1] ?? 0) * (values[index]?.[name] ?? 0);
      return { row, isMatch, weight: (weight / total) * share };
    });
  });
  const examples = {
    rows: all.map(({ row }) => row),
    isMatch: all.map(({ isMatch }) => isMatch),
    weight: all.map(({ weight }) => weight),
  };
  const [bias = 0, ...fitted] = [...fitLogistic(examples, ridge)].map((each) => Math.round(each * 100) / 100);
  return { bias, terms: { ...Object.fromEntries(terms.map((term, at) => [term, fitted[at] ?? 0])), ...given } };
}

/** The pairs as judged by the two alone. */
function judgeAll({ pairs }: Measured, weights: Weights) {
  const sum = parseWeights(weights);
  return pairs.map(({ first, second, signals, isMatch, weight }) => {
    const score = sigmoid(logOddsOf(sum, signalValues(signals)));
    const picture: ScoredPair['picture'] =
      signals.picture_unknown === 1 ? 'unknown' : signals.picture_same + signals.picture_near > 0 ? 'same' : 'other';
    return { first: String(first), second: String(second), score, picture, signals, isMatch, weight };
  });
}

/** The judged pairs with how others stand to them, as far as they are worth it. */
function standAll(measured: Measured, weights: Weights) {
  const judged = judgeAll(measured, weights);
  const neighbours = neighboursOf(judged);
  return judged
    .filter(({ score }) => score >= MIN_SCORE)
    .map((pair) => ({ ...pair, values: contextValues(pair, neighbours, measured.features.length) }));
}

function learnAll(sets: readonly Measured[]): Learnt {
  const shareOf = ({ set }: Measured) => SHARES.get(set.name) ?? 1;
  const first = sets.map((measured) => ({
    ...measured,
    share: shareOf(measured),
    values: measured.pairs.map(({ signals }) => signalValues(signals)),
  }));
  const known = parseWeights(alone);
  const worth = first.map(({ pairs, values, share }) => {
    const kept = pairs.map((_, index) => sigmoid(logOddsOf(known, values[index] ?? {})) >= HOPELESS);
    return { pairs: pairs.filter((_, at) => kept[at]), values: values.filter((_, at) => kept[at]), share };
  });
  const terms = Object.keys(alone.terms).filter((term) => term !== 'brand_other');
  const own = learn(terms, worth, 1e-5, { brand_other: OTHER_BRAND });
  const others = (weights: Weights, isPictured: boolean) =>
    learn(
      Object.keys(weights.terms).filter((term) => term !== 'few'),
      sets
        .filter(({ set }) => set.subjects.some(({ images }) => images !== undefined) === isPictured)
        .map((measured) => {
          const pairs = standAll(measured, own);
          return { pairs, values: pairs.map(({ values }) => values), share: shareOf(measured) };
        }),
      1e-4,
      isPictured ? { few: FEW } : {},
    );
  return calibrate(sets, { alone: own, pictured: others(withImages, true), bare: others(withoutImages, false) });
}

/** Biases for the one threshold: ads are found with the wished precision, offers of shops with the best F1 on average. */
function calibrate(sets: readonly Measured[], learnt: Learnt): Learnt {
  const isAds = ({ set }: Measured) => set.subjects.some(({ images }) => images !== undefined);
  const logOdds = (score: number) => Math.log(score / (1 - score));
  const wanted = sets.filter(isAds).map((measured) => reach(measured, settleAll(measured, learnt), WISHED).at);
  const shops = sets
    .filter((measured) => !isAds(measured))
    .map((measured) => ({ measured, settled: settleAll(measured, learnt) }));
  const f1From = (threshold: number) =>
    shops.reduce((sum, { measured, settled }) => sum + figuresAt(measured, settled, threshold).f1, 0);
  const tried = Array.from({ length: 19 }, (_, at) => (at + 1) / 20);
  const best = tried.toSorted((a, b) => f1From(b) - f1From(a))[0] ?? DETECTED_FROM;
  const move = (weights: Weights, from: number) => ({
    ...weights,
    bias: Math.round((weights.bias + logOdds(DETECTED_FROM) - logOdds(from)) * 100) / 100,
  });
  return { ...learnt, pictured: move(learnt.pictured, Math.max(...wanted)), bare: move(learnt.bare, best) };
}

/** What weights find of a measured set: final scores, the best first. */
function settleAll(measured: Measured, learnt: Learnt) {
  const [ofPictured, ofBare] = [parseWeights(learnt.pictured), parseWeights(learnt.bare)];
  return standAll(measured, learnt.alone)
    .map((pair) => {
      const others = sigmoid(logOddsOf(pair.picture === 'unknown' ? ofBare : ofPictured, pair.values));
      const [a, b] = [measured.features[Number(pair.first)], measured.features[Number(pair.second)]];
      return { ...pair, final: a && b ? capScore(a.print, b.print, pair.signals, others).score : 0 };
    })
    .sort((a, b) => b.final - a.final);
}

function figuresAt(measured: Measured, settled: ReturnType<typeof settleAll>, threshold: number) {
  const found = settled.filter(({ final }) => final >= threshold);
  const right = found.filter(({ isMatch }) => isMatch).length;
  const precision = right / measured.set.told / (found.length || 1);
  const recall = right / measured.set.matches.size;
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall || 1) };
}

/** The lowest threshold from which on a set is found with this precision, and the recall there. */
function reach(measured: Measured, settled: ReturnType<typeof settleAll>, precision: number) {
  let [right, at, best] = [0, 1, 0];
  for (const [index, { isMatch, final }] of settled.entries()) {
    if (isMatch) right += 1;
    if (right / measured.set.told / (index + 1) >= precision) [at, best] = [final, right];
  }
  return { at, recall: best / measured.set.matches.size };
}

/** The rows of a set whose products are kept, with the pairs among them. */
function part(set: Labelled, keeps: (product: number, size: number) => boolean): Labelled {
  const product = set.subjects.map((_, index) => index);
  for (const pair of set.matches) {
    const [a = 0, b = 0] = pair.split(' ').map(Number);
    const least = Math.min(product[a] ?? a, product[b] ?? b);
    product[a] = product[b] = least;
  }
  const size = Map.groupBy(product, (each) => each);
  const kept = product.flatMap((each, index) => (keeps(each, size.get(each)?.length ?? 1) ? [index] : []));
  const place = new Map(kept.map((index, at) => [index, at]));
  const matches = [...set.matches].flatMap((pair) => {
    const [a, b] = pair.split(' ').map((each) => place.get(Number(each)));
    return a === undefined || b === undefined ? [] : [pairKey(a, b)];
  });
  return { ...set, subjects: kept.flatMap((index) => set.subjects[index] ?? []), matches: new Set(matches) };
}

function tell(title: string, measured: Measured, learnt: Learnt): void {
  const settled = settleAll(measured, learnt);
  const { precision, recall, f1 } = figuresAt(measured, settled, DETECTED_FROM);
  const best = reach(measured, settled, 0.95);
  console.log(
    `${title} ${measured.set.name}: precision ${precision.toFixed(4)}  recall ${recall.toFixed(4)}  f1 ${f1.toFixed(4)} at ${DETECTED_FROM}; recall ${best.recall.toFixed(4)} at precision 0.95 (from ${best.at.toFixed(3)} on)`,
  );
}

function mixed(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  const twice = Math.imul(once ^ (once >>> 13), 0x45d9f3b);
  return (twice ^ (twice >>> 16)) >>> 0;
}

/**
 * Learns the weights of shared/dedup/weights.ts from the labelled sets and prints them, with what they find, and what is found
 * in each half of the ads by weights that the other half has taught.
 */
export function benchDedupFit(): Promise<void> {
  const sets = [readAbtBuy(), readAmazonGoogle(), readShopee()].flatMap((set) => (set ? [measure(set)] : []));
  const ads = sets.find(({ set }) => set.name.includes('shopee'));
  const current = { alone, pictured: withImages, bare: withoutImages };
  for (const set of sets) tell('as it is', set, current);
  if (ads) {
    const heavy = measure(
      part(ads.set, (product, size) => mixed(product) % 100 < (size >= 16 ? 100 : size >= 6 ? 75 : 62)),
    );
    tell('as it is, heavy', heavy, current);
    for (const half of [0, 1]) {
      const own = measure(part(ads.set, (product) => mixed(product) % 2 === half));
      const other = measure(part(ads.set, (product) => mixed(product) % 2 !== half));
      tell(`as it is, half ${half}`, other, current);
      tell(`learnt from half ${half}`, other, learnAll([...sets.filter((set) => set !== ads), own]));
    }
  }
  const learnt = learnAll(sets);
  for (const set of sets) tell('learnt', set, learnt);
  console.log(JSON.stringify(learnt));
  return Promise.resolve();
}
