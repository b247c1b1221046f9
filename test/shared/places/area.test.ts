import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellsOfBox, cellsOfCircle, distanceKm, type CellRanges } from '../../../shared/places/area.ts';
import { times } from '../../support/lane.ts';

/** What the function place_cell of the database computes. */
const cellOf = (lat: number, lng: number) =>
  Math.min(1_799, Math.floor((lat + 90) * 10)) * 3_600 + Math.min(3_599, Math.floor((lng + 180) * 10));

const has = ({ lows, highs }: CellRanges, cell: number) =>
  lows.some((low, index) => low <= cell && cell <= highs[index]!);

const lat = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 90, 0, 89.99, -89.95));
const lng = fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 180, 179.999, -179.999, 0));
const radius = fc.oneof(fc.double({ min: 0, max: 20_000, noNaN: true }), fc.constantFrom(0, 0.5, 50, 10_007, 20_000));

test('every place in a circle is in one of its cells, also at the poles and over the 180th meridian', () => {
  const { counterexample } = fc.check(
    fc.property(
      lat,
      lng,
      radius,
      fc.array(fc.tuple(lat, lng), { minLength: 20, maxLength: 20 }),
      (a, b, radiusKm, places) => {
        const ranges = cellsOfCircle({ lat: a, lng: b, radiusKm });
        const close = places.map(
          ([y, x]) =>
            [
              Math.max(-90, Math.min(90, a + (y / 90) * (radiusKm / 111))),
              ((((b + (x / 180) * (radiusKm / 60)) % 360) + 540) % 360) - 180,
            ] as const,
        );
        return [...places, ...close, [a, b] as const].every(
          ([y, x]) => distanceKm({ lat: a, lng: b }, { lat: y, lng: x }) > radiusKm || has(ranges, cellOf(y, x)),
        );
      },
    ),
    { numRuns: times(300, 6_000) },
  );
  expect(counterexample).toBeNull();
});

test('every place in a box is in one of its cells, also over the 180th meridian', () => {
  const { counterexample } = fc.check(
    fc.property(
      lat,
      lat,
      lng,
      lng,
      fc.array(fc.tuple(lat, lng), { minLength: 20, maxLength: 20 }),
      (a, b, west, east, places) => {
        const [south, north] = [Math.min(a, b), Math.max(a, b)];
        const ranges = cellsOfBox({ west, south, east, north });
        const inside = (y: number, x: number) =>
          y >= south && y <= north && (west <= east ? x >= west && x <= east : x >= west || x <= east);
        return [...places, [south, west] as const, [north, east] as const].every(
          ([y, x]) => !inside(y, x) || has(ranges, cellOf(y, x)),
        );
      },
    ),
    { numRuns: times(300, 6_000) },
  );
  expect(counterexample).toBeNull();
});

test('a circle is few ranges, about as large as itself', () => {
  const { lows, highs } = cellsOfCircle({ lat: 54.3, lng: 10.1, radiusKm: 50 });
  const cells = lows.reduce((sum, low, index) => sum + highs[index]! - low + 1, 0);
  expect(lows.length).toBeLessThanOrEqual(11);
  expect(cells).toBeLessThan(170);
  expect(cellsOfCircle({ lat: 0, lng: 0, radiusKm: 20_037 }).lows).toHaveLength(1);
});

test('distances are those of a sphere', () => {
  expect(distanceKm({ lat: 0, lng: 0 }, { lat: 0, lng: 180 })).toBeCloseTo(20_015.1, 0);
  expect(distanceKm({ lat: 54.323, lng: 10.123 }, { lat: 54.782, lng: 9.437 })).toBeCloseTo(67.6, 0);
  expect(distanceKm({ lat: 10, lng: 179.9 }, { lat: 10, lng: -179.9 })).toBeCloseTo(21.9, 1);
});
