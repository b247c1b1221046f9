import { signalsOf, type Signals } from './compare.ts';
import type { Features } from './features.ts';
import { alone, type Weights } from './weights.ts';

/** The probability that two listings are one thing, by the two alone, with the signals it comes from. */
export type FeatureScore = { score: number; signals: Signals };

const FULL_FROM = 0.8;

/** Logistic regression over the signals of two listings: their score from 0 to 1, without context (rescoreInContext). */
export function scoreFeatures(a: Features, b: Features): FeatureScore {
  const signals = signalsOf(a, b);
  return { score: sigmoid(logOddsOf(ofAlone, signalValues(signals))), signals };
}

/** The contribution of a signal, with the products it is part of, to the log odds. */
export type Reason = { signal: string; weight: number };

/** Signals that are reported under another name: how rare an image is belongs to its being the same. */
const toldAs = new Map([['picture_rare', 'picture_same']]);

/** The reasons for and against a pair, the weightiest first; those of next to no weight are left out. */
export function reasonsOf(signals: Partial<Signals>): Reason[] {
  const values = signalValues(signals);
  const parts = new Map<string, number>();
  for (const { names, weight } of ofAlone.terms) {
    const [first = ''] = names;
    const name = toldAs.get(first) ?? first;
    parts.set(name, (parts.get(name) ?? 0) + weight * productOf(names, values));
  }
  return [...parts]
    .map(([signal, weight]) => ({ signal, weight: Math.round(weight * 100) / 100 }))
    .filter(({ weight }) => Math.abs(weight) >= 0.1)
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
}

/** Signal values by name. */
export type SignalValues = Readonly<Record<string, number | undefined>>;

/** A linear model with its terms parsed into factors. */
export type LinearModel = { bias: number; terms: { names: string[]; weight: number }[] };

export function parseWeights({ bias, terms }: Weights): LinearModel {
  return { bias, terms: Object.entries(terms).map(([name, weight]) => ({ names: name.split(' x '), weight })) };
}

/** The log odds of a linear model; a signal that is absent counts as 0. */
export function logOddsOf({ bias, terms }: LinearModel, values: SignalValues): number {
  let sum = bias;
  for (const { names, weight } of terms) sum += weight * productOf(names, values);
  return sum;
}

function productOf(names: readonly string[], values: SignalValues): number {
  let product = 1;
  for (const name of names) product *= values[name] ?? 0;
  return product;
}

const ofAlone = parseWeights(alone);
/** The signals as the model `alone` names them. */
export const signalValues = (signals: Partial<Signals>): SignalValues => ({
  ...signals,
  title_full: Math.max(0, (signals.title ?? 0) - FULL_FROM),
});

export const sigmoid = (logOdds: number) => 1 / (1 + Math.exp(-logOdds));
