import { expect, test } from 'vitest';
import { promote, promotionOf } from '../../../shared/premium/plans.ts';

const day = (n: number) => new Date(Date.UTC(2026, 2, 1 + n));

test('the first purchase runs from its time on', () => {
  expect(promote(undefined, { plan: 'featured', durationDays: 7, at: day(0) })).toEqual({
    type: 'featured',
    until: day(7),
  });
});

test('the same plan again lasts longer', () => {
  const current = { type: 'featured' as const, until: day(7) };
  expect(promote(current, { plan: 'featured', durationDays: 30, at: day(2) })).toEqual({
    type: 'featured',
    until: day(37),
  });
});

test('the other plan takes over and keeps the later end', () => {
  const long = { type: 'featured' as const, until: day(30) };
  expect(promote(long, { plan: 'urgent', durationDays: 7, at: day(1) })).toEqual({ type: 'urgent', until: day(30) });
  const short = { type: 'featured' as const, until: day(7) };
  expect(promote(short, { plan: 'urgent', durationDays: 30, at: day(1) })).toEqual({ type: 'urgent', until: day(31) });
});

test('a promotion that ends at this very moment is over: the next one starts anew', () => {
  const current = { type: 'featured' as const, until: day(7) };
  expect(promote(current, { plan: 'featured', durationDays: 7, at: day(7) })).toEqual({
    type: 'featured',
    until: day(14),
  });
});

test('what purchases come to is the same as one after the other, and nothing without any', () => {
  expect(
    promotionOf([
      { plan: 'featured', durationDays: 7, at: day(0) },
      { plan: 'featured', durationDays: 7, at: day(1) },
      { plan: 'urgent', durationDays: 7, at: day(2) },
    ]),
  ).toEqual({ type: 'urgent', until: day(14) });
  expect(promotionOf([])).toBeUndefined();
});
