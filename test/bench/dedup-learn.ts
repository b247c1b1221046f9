import { contextValues, neighboursOf, MIN_SCORE } from '../../shared/dedup/context.ts';
import {
  logOddsOf,
  parseModel,
  productOf,
  scoreSignals,
  type FeatureValues,
  type Model,
  type Weights,
} from '../../shared/dedup/score.ts';
import { pairKey, partOf, type Labelled } from './dedup-data.ts';
import { compareAll, type Compared } from './dedup-find.ts';
import { fitLogistic } from './dedup-logistic.ts';

/** A labelled set with its candidates compared; `isMatch` is undefined for a pair whose truth nobody has told. */
export type Measured = { set: Labelled; compared: Compared; isMatch: (boolean | undefined)[] };

export type LearntWeights = { alone: Weights; context: Weights };

/** At most so many pairs of a set are learnt from: more of one kind teach little. */
const MAX_EXAMPLES = 25_000;
const RIDGE = 1e-4;
/** Terms of less weight are left out. */
const MIN_WEIGHT = 0.02;
/**
 * Sets whose pairs are not what a marketplace meets count for little: pairs that were picked to be judged, near-identical goods of
 * one kind, or a few pairs that students have judged.
 */
const SHARES = new Map([
  ['dedup-wdc-offers', 0.1],
  ['dedup-altosight', 0.1],
  ['dedup-used-bikes', 0.02],
]);

/** The signals of two listings that are weighed. */
const signals =
  `title title_part told_elsewhere told_both near_words only_in_one own_words own_most own_count shared_mass
  rarest_shared in_order letters code_shared code_other number_other number_one_sided number_shared measure_shared measure_other
  description description_unknown price_far price_same price_unknown brand_other brand_shared picture_same picture_near
  picture_alike picture_other picture_unknown picture_rare`.split(/\s+/);
const products = [
  'title x title',
  'letters x letters',
  'told_both x told_both',
  'title x letters',
  'title x own_most',
  'title x code_other',
  'title x number_other',
  'title x measure_other',
  'rarest_shared x code_shared',
  'title x picture_same',
  'title x picture_other',
  'title x picture_unknown',
  'letters x picture_same',
  'letters x picture_other',
];
/** What no labelled set shows is weighed by what it means: a trade number is the same for all offers of one kind of goods. */
const given = { product_same: 3, product_other: -3 };

const contextNames = `score agreeing common strays_less strays_more rival alike_less alike_more in_shops picture
  picture_unknown`.split(/\s+/);
const contextTerms = [
  ...contextNames,
  ...contextNames.flatMap((one, at) => contextNames.slice(at).map((other) => `${one} x ${other}`)),
];

/** Blocks and compares a labelled set as the service does. */
export function measure(set: Labelled): Measured {
  const compared = compareAll(set.subjects, set.across);
  const isMatch = compared.candidates.map(([one, other]) => truthOf(set, one, other));
  return { set, compared, isMatch };
}

/**
 * Where a part of the labels is kept aside, the truth is known of what has a label: its only match. Elsewhere all pairs are
 * told, or those that were judged.
 */
export function truthOf({ matches, judged, labelled }: Labelled, one: number, other: number): boolean | undefined {
  const pair = pairKey(one, other);
  if (matches.has(pair)) return true;
  const isTold = judged ? judged.has(pair) : !labelled || labelled.has(one) || labelled.has(other);
  return isTold ? false : undefined;
}

/** A part of a set that is unseen, and what is learnt from instead. */
export type Fold = { unseen: Measured; others: Measured[] };

/**
 * Leaves each set out in turn. What images tell only one set shows: of that each half of its products is left out in turn,
 * and the other half stays.
 */
export function foldsOf(sets: readonly Measured[]): { measured: Measured; folds: Fold[] }[] {
  return sets.map((measured) => {
    const others = sets.filter((each) => each !== measured);
    if (!measured.set.subjects.some(({ images }) => images !== undefined))
      return { measured, folds: [{ unseen: measured, others }] };
    const halves = [0, 1].map((half) => measure(partOf(measured.set, (product) => mix(product) % 2 === half)));
    return {
      measured,
      folds: halves.map((unseen) => ({ unseen, others: [...others, ...halves.filter((half) => half !== unseen)] })),
    };
  });
}

function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  const twice = Math.imul(once ^ (once >>> 13), 0x45d9f3b);
  return (twice ^ (twice >>> 16)) >>> 0;
}

/** Fits both logistic regressions, that of the two alone and then that of their context, each set having its share. */
export function learn(sets: readonly Measured[]): LearntWeights {
  const alone = fit([...signals, ...products], sets, ({ compared, isMatch }) =>
    sample(compared.pairs.map((pair, at) => ({ values: pair.signals, isMatch: isMatch[at] }))),
  );
  const weighed = { bias: alone.bias, terms: { ...alone.terms, ...given } };
  const model = parseModel({ alone: weighed, context: alone });
  return { alone: weighed, context: fit(contextTerms, sets, (measured) => sample(standAll(measured, model))) };
}

type Example = { values: FeatureValues; isMatch: boolean | undefined };

/** The pairs that are worth it with what stands around them. */
function standAll({ compared, isMatch }: Measured, model: Model): Example[] {
  const scored = compared.pairs.map((pair) => ({ ...pair, score: scoreSignals(pair.signals, model) }));
  const sources = new Map(compared.features.map(({ print }) => [print.id, print.source]));
  const standingOf = (id: string) => ({ cluster: id, source: sources.get(id) });
  const neighbours = neighboursOf(scored, standingOf);
  return scored.flatMap((pair, at) =>
    pair.score < MIN_SCORE ? [] : [{ values: contextValues(pair, neighbours, standingOf), isMatch: isMatch[at] }],
  );
}

/** An even sample of the pairs whose truth is told. */
function sample(examples: readonly Example[]): Example[] {
  const told = examples.filter(({ isMatch }) => isMatch !== undefined);
  const share = MAX_EXAMPLES / told.length;
  return told.filter((_, at) => Math.floor((at + 1) * share) > Math.floor(at * share) || share >= 1);
}

/**
 * Platt scaling on what was left out: the slope and offset of the log odds at which scores of unseen sets are probabilities,
 * each set counting the same.
 */
export function calibrate(weights: LearntWeights, folds: readonly (Fold & { model: Model })[]): LearntWeights {
  const examples = folds.flatMap(({ unseen, model }) => {
    const told = standAll(unseen, model).filter(({ isMatch }) => isMatch !== undefined);
    return told.map(({ values, isMatch }) => ({
      row: Float64Array.of(1, logOddsOf(model.context, values)),
      isMatch: isMatch === true,
      weight: (SHARES.get(unseen.set.name) ?? 1) / told.length,
    }));
  });
  const [offset = 0, slope = 1] = fitRows(examples);
  const { bias, terms } = weights.context;
  const scaled = Object.entries(terms).map(([term, weight]) => [term, roundWeight(weight * slope)]);
  return { ...weights, context: { bias: roundWeight(bias * slope + offset), terms: Object.fromEntries(scaled) } };
}

type Row = { row: Float64Array; isMatch: boolean; weight: number };

const fitRows = (rows: readonly Row[]) =>
  fitLogistic(
    {
      rows: rows.map(({ row }) => row),
      isMatch: rows.map(({ isMatch }) => isMatch),
      weight: rows.map(({ weight }) => weight),
    },
    RIDGE,
  );

function fit(terms: readonly string[], sets: readonly Measured[], examplesOf: (set: Measured) => Example[]): Weights {
  const parts = terms.map((term) => term.split(' x '));
  const all = sets.flatMap((measured) => {
    const examples = examplesOf(measured);
    const weight = (SHARES.get(measured.set.name) ?? 1) / examples.length;
    return examples.map(({ values, isMatch }) => {
      return {
        row: Float64Array.of(1, ...parts.map((names) => productOf(names, values))),
        isMatch: isMatch === true,
        weight,
      };
    });
  });
  const [bias = 0, ...fitted] = fitRows(all);
  const rounded = terms.map((term, at) => [term, roundWeight(fitted[at] ?? 0)] as const);
  return {
    bias: roundWeight(bias),
    terms: Object.fromEntries(rounded.filter(([, weight]) => Math.abs(weight) >= MIN_WEIGHT)),
  };
}

const roundWeight = (weight: number) => Math.round(weight * 1_000) / 1_000;
