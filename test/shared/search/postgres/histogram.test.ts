import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketEdges, toHistogram } from '../../../../shared/search/postgres/histogram.ts';

test.each([
  [1995, 2005, [1995, 1996, 1997, 1998, 1999, 2000, 2001, 2002, 2003, 2004, 2005, 2006]],
  [2, 4, [2, 3, 4, 5]],
  [7, 7, [7, 8]],
  [8.5, 9.1, [8.5, 8.6, 8.7, 8.8, 8.9, 9, 9.1, 9.2]],
  [450, 60_000, [200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]],
  [0, 90, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]],
])('from %d to %d the bounds are %j', (min, max, edges) => {
  expect(bucketEdges(min, max)).toEqual(edges);
});

test('buckets are few, rise without a gap, and hold every number once', () => {
  const number = fc.oneof(
    fc.integer({ min: -100_000_000, max: 100_000_000 }).map((cents) => cents / 100),
    fc.integer({ min: 0, max: 3_000 }),
  );
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 50 }), (values) => {
      const { min, max, buckets } = toHistogram(values.map((value) => ({ value, count: 2 })));
      expect([min, max]).toEqual([Math.min(...values), Math.max(...values)]);
      expect(buckets.length).toBeLessThan(40);
      expect(buckets[0]!.from).toBeLessThanOrEqual(min!);
      expect(buckets.at(-1)!.to).toBeGreaterThan(max!);
      for (const [index, { from, to, count }] of buckets.entries()) {
        expect(from).toBeLessThan(to);
        expect(buckets[index + 1]?.from ?? to).toBe(to);
        expect(count).toBe(2 * values.filter((value) => value >= from && value < to).length);
      }
    }),
  );
});
