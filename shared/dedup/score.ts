import { signalsOf, type Signals } from './compare.ts';
import type { Features } from './features.ts';
import { alone, type Weights } from './weights.ts';

/** How likely two listings are one thing, judged by the two alone, and why. */
export type Judgement = { score: number; signals: Signals };

const FULL_FROM = 0.8;

/**
 * The score of two listings by what they say themselves, from 0 to 1: a weighted sum of their signals as a probability. What
 * other listings say about the two is added by rescoreInContext.
 */
export function judge(a: Features, b: Features): Judgement {
  const signals = signalsOf(a, b);
  return { score: probability(sumUp(ofAlone, valuesOf(signals))), signals };
}

/** What a signal, with those that it counts together with, adds to the log odds of a pair. */
export type Reason = { signal: string; weight: number };

/** What is told under another name: how rare an image is counts with its being the same, and is no claim of its own. */
const toldAs = new Map([['picture_rare', 'picture_same']]);

/** The reasons for and against a pair, the weightiest first; those of next to no weight are left out. */
export function reasonsOf(signals: Partial<Signals>): Reason[] {
  const values = valuesOf(signals);
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

/** Values of signals by name. */
export type Values = Readonly<Record<string, number | undefined>>;

/** Weights as they are summed up, their terms taken apart. */
export type Sum = { bias: number; terms: { names: string[]; weight: number }[] };

export function prepare({ bias, terms }: Weights): Sum {
  return { bias, terms: Object.entries(terms).map(([name, weight]) => ({ names: name.split(' x '), weight })) };
}

/** The log odds that weights make of values; one that is not named counts as 0. */
export function sumUp({ bias, terms }: Sum, values: Values): number {
  let sum = bias;
  for (const { names, weight } of terms) sum += weight * productOf(names, values);
  return sum;
}

function productOf(names: readonly string[], values: Values): number {
  let product = 1;
  for (const name of names) product *= values[name] ?? 0;
  return product;
}

const ofAlone = prepare(alone);
/** The values that weights of `alone` ask for. */
export const valuesOf = (signals: Partial<Signals>): Values => ({
  ...signals,
  title_full: Math.max(0, (signals.title ?? 0) - FULL_FROM),
});

export const probability = (logOdds: number) => 1 / (1 + Math.exp(-logOdds));
