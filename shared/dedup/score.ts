import weights from './weights.json' with { type: 'json' };
import { signalsOf, type Signals } from './compare.ts';
import type { Features } from './features.ts';

/** The weights of a linear model in log odds, by term: a feature, or a product of features as `one x other`. */
export type Weights = { bias: number; terms: Readonly<Record<string, number>> };

/** A linear model with its terms parsed into factors. */
export type LinearModel = { bias: number; terms: { names: string[]; weight: number }[] };

/** What weighs the signals of two listings, and what weighs their score among those of others. */
export type Model = { alone: LinearModel; context: LinearModel };

export function parseModel({ alone, context }: { alone: Weights; context: Weights }): Model {
  return { alone: parseWeights(alone), context: parseWeights(context) };
}

const parseWeights = ({ bias, terms }: Weights): LinearModel => ({
  bias,
  terms: Object.entries(terms).map(([name, weight]) => ({ names: name.split(' x '), weight })),
});

/** The model that `npm run bench -- dedup-fit` has learnt and written to weights.json. */
export const shippedModel: Model = parseModel(weights);

/** The probability that two listings are one thing, by the two alone, with the signals it comes from. */
export type FeatureScore = { score: number; signals: Signals };

/** Logistic regression over the signals of two listings: their score from 0 to 1, without context (rescoreInContext). */
export function scoreFeatures(a: Features, b: Features): FeatureScore {
  const signals = signalsOf(a, b);
  return { score: scoreSignals(signals, shippedModel), signals };
}

export const scoreSignals = (signals: Partial<Signals>, { alone }: Model) => sigmoid(logOddsOf(alone, signals));

/** The contribution of a signal, with the products it is part of, to the log odds. */
export type Reason = { signal: string; weight: number };

/** Signals that are reported under another name: how rare an image is belongs to its being the same. */
const toldAs = new Map([['picture_rare', 'picture_same']]);

/** The reasons for and against a pair, the weightiest first; those of next to no weight are left out. */
export function reasonsOf(signals: Partial<Signals>): Reason[] {
  const parts = new Map<string, number>();
  for (const { names, weight } of shippedModel.alone.terms) {
    const [first = ''] = names;
    const name = toldAs.get(first) ?? first;
    parts.set(name, (parts.get(name) ?? 0) + weight * productOf(names, signals));
  }
  return [...parts]
    .map(([signal, weight]) => ({ signal, weight: Math.round(weight * 100) / 100 }))
    .filter(({ weight }) => Math.abs(weight) >= 0.1)
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
}

/** Values of features by name; one that is absent counts as 0. */
export type FeatureValues = Readonly<Record<string, number | undefined>>;

/** The log odds of a linear model. */
export function logOddsOf({ bias, terms }: LinearModel, values: FeatureValues): number {
  let sum = bias;
  for (const { names, weight } of terms) sum += weight * productOf(names, values);
  return sum;
}

/** The value of a term: the product of its features. */
export function productOf(names: readonly string[], values: FeatureValues): number {
  let product = 1;
  for (const name of names) product *= values[name] ?? 0;
  return product;
}

export const sigmoid = (logOdds: number) => 1 / (1 + Math.exp(-logOdds));
