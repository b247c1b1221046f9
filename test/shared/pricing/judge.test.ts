import { describe, expect, test } from 'vitest';
import { rateConfidence, compareToMarket, describeConfidence } from '../../../shared/pricing/judge.ts';
import type { Market } from '../../../shared/pricing/market.ts';

const market = (fields: Partial<Market>): Market => ({
  currency: 'EUR',
  conversion: null,
  sampleSize: 100,
  min: 1,
  max: 200,
  mean: 100,
  median: 100,
  percentiles: { p10: 60, p25: 80, p75: 120, p90: 140 },
  recommended: { low: 80, fair: 100, high: 120 },
  widened: [],
  below: 50,
  equal: 0,
  nearestIds: [],
  ...fields,
});
const spread = (by: number) => ({ p10: null, p25: 100 - by / 2, p75: 100 + by / 2, p90: null });

describe('confidence', () => {
  test.each([
    [0, 0, 'none'],
    [9, 0, 'low'],
    [10, 150, 'medium'],
    [10, 151, 'low'],
    [29, 0, 'medium'],
    [30, 60, 'high'],
    [30, 61, 'medium'],
    [1_000, 151, 'low'],
  ])('%d listings with an interquartile range of %d %% of the median give %s', (sampleSize, by, expected) => {
    expect(rateConfidence(market({ sampleSize, percentiles: spread(by) }))).toBe(expected);
  });
});

describe('a price', () => {
  // Of a hundred listings, so many are cheaper than it; the median is 100.
  test.each([
    [85, 10, 'great_deal'],
    [86, 10, 'good'],
    [85, 11, 'good'],
    [95, 30, 'good'],
    [96, 30, 'fair'],
    [95, 31, 'fair'],
    [100, 50, 'fair'],
    [105, 69, 'fair'],
    [104, 70, 'fair'],
    [105, 70, 'high'],
    [115, 89, 'high'],
    [114, 90, 'high'],
    [115, 90, 'overpriced'],
  ])('of %d, above %d %% of the listings, is %s', (price, below, assessment) => {
    expect(compareToMarket(price, market({ below }))).toEqual({
      assessment,
      percentile: below,
      deviationPercent: price - 100,
    });
  });

  test('counts half of the listings at the same price as cheaper', () => {
    expect(compareToMarket(100, market({ below: 20, equal: 50 })).percentile).toBe(45);
  });

  test('is unknown among two listings, and judged among three', () => {
    expect(compareToMarket(10, market({ sampleSize: 2, below: 0 })).assessment).toBe('unknown');
    expect(compareToMarket(10, market({ sampleSize: 3, below: 0 })).assessment).toBe('great_deal');
  });
});

test('a note says that there is nothing, one listing or few, and nothing from ten on', () => {
  expect(describeConfidence(market({ sampleSize: 0 }))).toMatch(/No listing/);
  expect(describeConfidence(market({ sampleSize: 1 }))).toMatch(/Only 1 comparable listing was/);
  expect(describeConfidence(market({ sampleSize: 9 }))).toMatch(/Only 9 comparable listings were/);
  expect(describeConfidence(market({ sampleSize: 10 }))).toBeNull();
});
