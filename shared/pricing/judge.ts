import { ENOUGH } from './choose-comparables.ts';
import type { Market } from './market.ts';

export type Confidence = 'none' | 'low' | 'medium' | 'high';
export type Assessment = 'great_deal' | 'good' | 'fair' | 'high' | 'overpriced' | 'unknown';

/** From how many listings on, and up to which spread (interquartile range by median), prices are known so well. */
const rules: readonly { confidence: Confidence; listings: number; spread: number }[] = [
  { confidence: 'high', listings: 30, spread: 0.6 },
  { confidence: 'medium', listings: 10, spread: 1.5 },
];

/** Rates the confidence in a market's numbers by its size and its relative interquartile range. */
export function rateConfidence({ sampleSize, median, percentiles: { p25, p75 } }: Market): Confidence {
  if (sampleSize === 0 || median === null || p25 === null || p75 === null) return 'none';
  const spread = (p75 - p25) / median;
  return rules.find((rule) => sampleSize >= rule.listings && spread <= rule.spread)?.confidence ?? 'low';
}

/** Below this many listings the answer says that they are few. */
const FEW = 10;

/** A sentence for the reader when the sample is small; null otherwise. */
export function describeConfidence({ sampleSize }: Market): string | null {
  if (sampleSize === 0) return 'No listing with a price was found: nothing can be said about this market.';
  if (sampleSize >= FEW) return null;
  return `Only ${sampleSize} comparable ${sampleSize === 1 ? 'listing was' : 'listings were'} found: take these numbers as a hint.`;
}

/** Both bounds must be passed: where prices lie close together, a place in their order means little, and where they lie apart, a distance does. */
const bounds: readonly { assessment: Assessment; applies: (percentile: number, deviation: number) => boolean }[] = [
  { assessment: 'great_deal', applies: (percentile, deviation) => percentile <= 10 && deviation <= -15 },
  { assessment: 'good', applies: (percentile, deviation) => percentile <= 30 && deviation <= -5 },
  { assessment: 'overpriced', applies: (percentile, deviation) => percentile >= 90 && deviation >= 15 },
  { assessment: 'high', applies: (percentile, deviation) => percentile >= 70 && deviation >= 5 },
];

export type PriceAssessment = {
  assessment: Assessment;
  /** How many percent of the listings are cheaper; of those at the same price half count. */
  percentile: number | null;
  /** How many percent the price is above the median. */
  deviationPercent: number | null;
};

/** Places a price in a market by percentile and by deviation from the median; fewer than ENOUGH listings make `unknown`. */
export function compareToMarket(price: number, { sampleSize, median, below, equal }: Market): PriceAssessment {
  if (sampleSize === 0 || median === null) return { assessment: 'unknown', percentile: null, deviationPercent: null };
  const percentile = round((100 * (below + equal / 2)) / sampleSize);
  const deviationPercent = round((100 * (price - median)) / median);
  const fits = bounds.find(({ applies }) => applies(percentile, deviationPercent));
  const assessment = sampleSize < ENOUGH ? 'unknown' : (fits?.assessment ?? 'fair');
  return { assessment, percentile, deviationPercent };
}

const round = (value: number) => Math.round(value * 10) / 10;
