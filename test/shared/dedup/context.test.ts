import { expect, test } from 'vitest';
import { rescoreInContext, neighboursOf, type ScoredPair } from '../../../shared/dedup/context.ts';
import { scoreFeatures, reasonsOf, shippedModel } from '../../../shared/dedup/score.ts';
import { boat, look } from './subjects.ts';

const pair = (
  first: string,
  second: string,
  score: number,
  picture: ScoredPair['picture'] = 'unknown',
): ScoredPair => ({
  first,
  second,
  score,
  picture,
});
const settle = (of: ScoredPair, ...around: ScoredPair[]) =>
  rescoreInContext(of, neighboursOf([of, ...around]), shippedModel);

test('a better match in the same shop makes a pair less likely, and the pair does not hurt the better one', () => {
  const [weak, strong] = [pair('a', 'b', 0.5), pair('a', 'c', 0.9)];
  const standingOf = (id: string) => ({ cluster: id, source: id === 'a' ? 'one shop' : 'another shop' });
  const inShops = (of: ScoredPair, ...around: ScoredPair[]) =>
    rescoreInContext(of, neighboursOf([of, ...around], standingOf), shippedModel, standingOf);
  expect(inShops(weak, strong)).toBeLessThan(inShops(weak) - 0.2);
  expect(inShops(strong, weak)).toBeGreaterThan(inShops(weak, strong));
});

test('of two pairs with pictures, the one whose sides are like the same others is the likelier', () => {
  const own = pair('a', 'b', 0.6, 'other');
  const together = settle(own, pair('a', 'c', 0.8, 'other'), pair('b', 'c', 0.8, 'other'));
  const apart = settle(own, pair('a', 'c', 0.8, 'other'), pair('b', 'd', 0.8, 'other'));
  expect(together).toBeGreaterThan(apart);
});

test('what is hardly alike by itself is nothing, whatever surrounds it', () => {
  expect(settle(pair('a', 'b', 0.09), pair('a', 'c', 0.9), pair('b', 'c', 0.9))).toBe(0);
});

test('a score is a number from 0 to 1, also at the ends', () => {
  for (const score of [0.1, 0.5, 0.999999, 1]) {
    expect(settle(pair('a', 'b', score))).toBeGreaterThan(0);
    expect(settle(pair('a', 'b', score))).toBeLessThanOrEqual(1);
  }
});

test('the order of two listings does not matter to their score', () => {
  const [a, b] = [
    look(boat('a')),
    look(boat('b', { title: 'Bavaria 37 Cruiser, 12 berths', price: { amount: 75_000 } })),
  ];
  expect(scoreFeatures(a, b).score).toBeCloseTo(scoreFeatures(b, a).score, 10);
});

test('reasons are told by weight, those against with a minus', () => {
  const far = scoreFeatures(look(boat('a')), look(boat('b', { price: { amount: 200_000, currency: 'EUR' } })));
  const reasons = reasonsOf(far.signals);
  const weights = reasons.map(({ weight }) => Math.abs(weight));
  expect(weights).toEqual(weights.toSorted((one, other) => other - one));
  expect(reasons.find(({ signal }) => signal === 'price_far')?.weight).toBeLessThan(-1);
});

test.each([
  ['price', { price: { amount: 200_000, currency: 'EUR' } }],
  ['brand', { brand: 'Jeanneau' }],
  ['title', { title: 'Bavaria 37 Cruiser 2004 Albatros' }],
  ['model number', { title: 'Bavaria 40 Cruiser 2004 Seestern' }],
])('another %s makes it less likely', (_, fields) => {
  const same = scoreFeatures(look(boat('a')), look(boat('b'))).score;
  expect(scoreFeatures(look(boat('a')), look(boat('b', fields))).score).toBeLessThan(same);
});
