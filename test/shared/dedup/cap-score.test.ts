import { describe, expect, test } from 'vitest';
import { judgePair, settlePair } from '../../../shared/dedup/detect.ts';
import { neighboursOf } from '../../../shared/dedup/context.ts';
import type { Subject } from '../../../shared/dedup/print.ts';
import { DETECTED_FROM, MERGED_FROM } from '../../../shared/dedup/cap-score.ts';
import { boat, look } from './subjects.ts';

const told =
  'One owner from new, kept in a berth in Kiel and serviced every spring by the same yard. The sails are from 2019, the ' +
  'engine has run 1,240 hours, and the standing rigging was renewed two winters ago; the survey can be seen at any time.';

function settle(one: Partial<Subject>, other: Partial<Subject>) {
  const [a, b] = [look(boat('a', one)), look(boat('b', other))];
  const pair = judgePair(a, b);
  return settlePair(a.print, b.print, pair, neighboursOf([pair]), 20_000);
}

describe('never duplicates, however alike they read', () => {
  test.each([
    ['hull_id', { serial: 'DE-BAV37F1K304' }, { serial: 'DE-BAV37F1K404' }],
    ['year', { year: 2004 }, { year: 2005 }],
    ['length', { length_m: 11.35 }, { length_m: 12.1 }],
    ['type', { type: 'sale' }, { type: 'wanted' }],
  ])('another %s', (by, one, other) => {
    expect(settle({ ...one, description: told }, { ...other, description: told })).toEqual({ score: 0, by: [by] });
  });
});

test('a length in feet is no other length than the same in metres', () => {
  expect(settle({ length_m: 11.35 }, { length_m: 37.2 * 0.3048 }).score).toBeGreaterThanOrEqual(DETECTED_FROM);
});

test('the same hull id decides it, whatever is written', () => {
  const serial = 'DE-BAV37F1K304';
  expect(settle({ serial }, { serial: 'de bav37f1k304', title: 'Segelyacht' })).toEqual({
    score: 0.99,
    by: ['same_hull_id'],
  });
});

test('identical new stock of one dealer is not even shown, be its pictures the same', () => {
  const stock = { condition: 'new', source: 'dealer', images: ['94974f937d4c2433'] };
  expect(settle(stock, stock).score).toBeLessThan(DETECTED_FROM);
});

test('a used thing that its seller offers again with the same picture is shown', () => {
  const again = { source: 'seller', images: ['94974f937d4c2433'] };
  expect(settle(again, again).score).toBeGreaterThanOrEqual(DETECTED_FROM);
});

test('the same boat of two sellers is shown, but without anything unique not merged by itself', () => {
  const { score } = settle({}, {});
  expect(score).toBeGreaterThanOrEqual(DETECTED_FROM);
  expect(score).toBeLessThan(MERGED_FROM);
});

test('the same words and price far away are another boat', () => {
  expect(settle({}, { place: { country: 'DE', city: 'Konstanz', lat: 47.66, lng: 9.17 } }).by).toEqual(['far_apart']);
  expect(settle({}, { place: { country: 'SE', city: 'Malmö' } }).score).toBeLessThan(DETECTED_FROM);
});

test('a copied description makes a pair that can be merged by itself', () => {
  expect(settle({ description: told }, { description: told }).score).toBeGreaterThanOrEqual(MERGED_FROM);
});
