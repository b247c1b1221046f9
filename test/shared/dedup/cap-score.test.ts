import { describe, expect, test } from 'vitest';
import { scorePair, finalizePair } from '../../../shared/dedup/detect.ts';
import { neighboursOf } from '../../../shared/dedup/context.ts';
import type { Subject } from '../../../shared/dedup/fingerprint.ts';
import { DETECTED_FROM, MERGED_FROM } from '../../../shared/dedup/cap-score.ts';
import { boat, look } from './subjects.ts';

const told =
  'One owner from new, kept in a berth in Kiel and serviced every spring by the same yard. The sails are from 2019, the ' +
  'engine has run 1,240 hours, and the standing rigging was renewed two winters ago; the survey can be seen at any time.';

function settle(one: Partial<Subject>, other: Partial<Subject>) {
  const [a, b] = [look(boat('a', one)), look(boat('b', other))];
  const pair = scorePair(a, b);
  return finalizePair(a.print, b.print, pair, neighboursOf([pair]));
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

test('a used thing that its seller offers again is shown with two of its photos, and not with one, which may be the maker’s', () => {
  const again = { source: 'seller', images: ['94974f937d4c2433', '0f1e2d3c4b5a6978'] };
  expect(settle(again, again).score).toBeGreaterThanOrEqual(DETECTED_FROM);
  const once = { source: 'seller', images: ['94974f937d4c2433'] };
  expect(settle(once, once).by).toEqual(['same_seller']);
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

test('a copied description makes a pair that is shown, and not one that can be merged by itself', () => {
  const { score, by } = settle({ description: told }, { description: told });
  expect([score, by]).toEqual([0.94, ['nothing_unique']]);
});

describe('a pair that can be merged by itself has', () => {
  const own = { sellers: ['account:usr_a'], source: 'usr_a', description: told, listed_in: 2026 };
  const images = ['94974f937d4c2433', '0f1e2d3c4b5a6978', 'c3a5960f1e872d4b'];

  test('one seller, used goods and one text that tells particulars of the object', () => {
    expect(settle(own, own).by).toEqual(['same_text']);
    expect(settle(own, own).score).toBeGreaterThanOrEqual(MERGED_FROM);
    const hours = told.replace('1,240 hours', '2,310 hours');
    const plain =
      'A lovely boat for the family with a roomy cockpit, standing headroom below and berths for six people.';
    for (const other of [
      { ...own, condition: 'new' },
      { ...own, sellers: ['account:usr_b'], source: 'usr_b' },
      { ...own, sellers: [] },
      { ...own, description: hours },
      { ...own, price: { amount: 75_000, currency: 'EUR' } },
    ])
      expect(settle(own, other).score).toBeLessThan(MERGED_FROM);
    expect(settle({ ...own, description: plain }, { ...own, description: plain }).by).toEqual(['same_seller']);
  });

  test('three images, and price, year and place agreeing', () => {
    const shown = { images, listed_in: 2026 };
    expect(settle(shown, shown).by).toEqual(['same_images']);
    expect(settle(shown, shown).score).toBeGreaterThanOrEqual(MERGED_FROM);
    expect(settle(shown, { ...shown, price: { amount: 80_900, currency: 'EUR' } }).by).toEqual(['same_images']);
    for (const other of [
      { images: images.slice(1) },
      { images: [images[0]!, images[1]!, images[1]!] },
      { condition: 'new' },
      { price: { amount: 82_000, currency: 'EUR' } },
      { price: { amount: 79_000, currency: 'CHF' } },
      { place: { country: 'DE', city: 'Konstanz', lat: 47.66, lng: 9.17 } },
      { place: { country: 'DE' } },
    ])
      expect(settle(shown, { ...shown, ...other }).score).toBeLessThan(MERGED_FROM);
  });
});

test('an unknown distance is not near', () => {
  expect(settle({}, { place: { country: 'DE' } }).by).toEqual(['far_apart']);
  const inTown = settle({ place: { country: 'DE', city: 'Kiel' } }, { place: { country: 'DE', city: 'KIEL' } });
  expect(inTown.score).toBeGreaterThanOrEqual(DETECTED_FROM);
});

test('new stock of two sellers is not shown, whatever text and images they share', () => {
  const stock = {
    condition: 'new',
    description: told,
    images: ['94974f937d4c2433', '0f1e2d3c4b5a6978', 'c3a5960f1e872d4b'],
  };
  expect(settle(stock, stock).by).toEqual(['new_stock']);
  const numbered = { ...stock, serial: 'DE-BAV37F1K304' };
  expect(settle({ ...numbered, sellers: ['account:usr_a'] }, { ...numbered, sellers: ['account:usr_b'] }).by).toEqual([
    'new_stock',
  ]);
});

test.each(['N/A', 'TBD', 'see description', '000000', '12345678', 'XXXXXX', 'none', 'AB1'])(
  'what stands in place of a hull number decides nothing: %s',
  (serial) => {
    expect(settle({ serial }, { serial })).toEqual(settle({}, {}));
    expect(settle({ serial }, { serial: 'DE-BAV37F1K304' })).toEqual(settle({}, {}));
  },
);

test('a hull number that two makes carry is none', () => {
  const serial = 'DE-BAV37F1K304';
  const other = { serial, brand: 'Zodiac', model: 'Open 5.5', title: 'Zodiac Open 5.5 2004' };
  expect(settle({ serial }, other).score).toBeLessThan(MERGED_FROM);
});

test('a trade number and a part number are of a kind of goods: they make a pair likelier and prove nothing', () => {
  const codes = { gtin: '04006381333931', mpn: 'BAV-37-2004' };
  const other = { title: 'Segelyacht Kiel' };
  const scoreOf = (one: Partial<Subject>, two: Partial<Subject>) =>
    scorePair(look(boat('a', one)), look(boat('b', two))).score;
  expect(scoreOf(codes, { ...codes, ...other })).toBeGreaterThan(scoreOf({}, other));
  expect(settle(codes, codes).score).toBeLessThan(MERGED_FROM);
});
