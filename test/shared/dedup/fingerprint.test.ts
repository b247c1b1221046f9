import { expect, test } from 'vitest';
import { blockingKeysOf } from '../../../shared/dedup/blocking.ts';
import { nearestImages } from '../../../shared/dedup/image-hashes.ts';
import { makeFingerprint } from '../../../shared/dedup/fingerprint.ts';
import { readProductCodes } from '../../../shared/dedup/serial-number.ts';
import { meetBy } from '../../bench/dedup-find.ts';
import { boat } from './subjects.ts';

const sentences = Array.from(
  { length: 40 },
  (_, index) => `Sentence number ${index} says something of its own about the boat.`,
);

test('the sketches of two descriptions agree about as much as the descriptions do', () => {
  const minhash = (from: number, to: number) =>
    makeFingerprint(
      boat('a', {
        description: sentences
          .slice(from, to)
          .map((each, index) => each.replace('something', `thing${from + index}`))
          .join(' '),
      }),
    ).minhash;
  const agreeing = (one: number[], other: number[]) =>
    one.filter((minimum, index) => minimum === other[index]).length / one.length;
  expect(agreeing(minhash(0, 20), minhash(0, 20))).toBe(1);
  expect(agreeing(minhash(0, 20), minhash(20, 40))).toBeLessThan(0.6);
  expect(agreeing(minhash(0, 20), minhash(0, 18))).toBeGreaterThan(0.6);
});

test('a description of a few words has no minhash, and so is no copy of another', () => {
  expect(makeFingerprint(boat('a', { description: 'Well kept boat.' })).minhash).toEqual([]);
});

test('a hull id is the same however it is written', () => {
  expect(makeFingerprint(boat('a', { serial: 'DE-BAV37F1K304' })).serial).toBe(
    makeFingerprint(boat('b', { serial: 'de bav37f1k304' })).serial,
  );
});

test('a trade number is the same however long it is printed, and none where its check digit is wrong', () => {
  expect(readProductCodes({ gtin: '4006381333931' }).gtin).toBe('04006381333931');
  expect(readProductCodes({ ean: '4 006381 333931' }).gtin).toBe('04006381333931');
  expect(readProductCodes({ upc: '036000291452' }).gtin).toBe('00036000291452');
  expect(readProductCodes({ gtin: '4006381333932' }).gtin).toBeUndefined();
  expect(readProductCodes({ gtin: '0000000000000' }).gtin).toBeUndefined();
});

test('offers with one trade number share a block, whatever their titles say', () => {
  const offer = (id: string, title: string) => makeFingerprint(boat(id, { title, gtin: '04006381333931' }));
  const [one, other] = [offer('a', 'Fineliner'), offer('b', 'Pen, blue')].map(blockingKeysOf);
  expect(other).toContain('g:04006381333931');
  expect(one).toContain('g:04006381333931');
});

test('pictures differ in the bits that differ between the two most alike', () => {
  expect(nearestImages(['ffffffff00000000', '0000000000000000'], ['0000000000000003'])).toBe(2);
  expect(nearestImages(['ffffffffffffffff'], ['0000000000000000'])).toBe(64);
  expect(nearestImages([], ['0000000000000000'])).toBeUndefined();
});

test.each([
  ['a code', { title: 'Turntable PS-LX350H' }, { title: 'Sony record player PSLX350H' }],
  ['a code with a suffix', { title: 'Camera DSCW170R' }, { title: 'Digicam DSCW170' }],
  ['a picture', { images: ['94974f937d4c2433'] }, { title: 'Segelyacht', images: ['94974f937d4cffff'] }],
  ['a hull id', { serial: 'DEBAV37F1K304' }, { title: 'Segelyacht', serial: 'de-bav37f1k304' }],
  [
    'a copied description',
    { description: sentences.join(' ') },
    { title: 'Segelyacht', description: sentences.join('\n') },
  ],
])('listings that share %s are compared', (_, one, other) => {
  const bare = { title: 'Boat', brand: undefined, model: undefined };
  const keys = [boat('a', { ...bare, ...one }), boat('b', { ...bare, ...other })].map((each) =>
    blockingKeysOf(makeFingerprint(each)),
  );
  expect(meetBy(keys)).toEqual([[0, 1]]);
});

test('a key that too many listings hold finds nobody, a rarer one still does', () => {
  const hot = Array.from({ length: 120 }, (_, index) => ['boat', index < 2 ? 'rare' : `own ${index}`]);
  expect(meetBy(hot)).toEqual([[0, 1]]);
});

test('those that are ruled out take nobody else’s place among the candidates', () => {
  const others = Array.from({ length: 70 }, () => ['boat', 'blue', 'fast']);
  const keys = [...others, ['boat', 'blue', 'fast'], ['boat', 'blue']];
  const areTwins = (one: number, other: number) => one + other === 141;
  expect(meetBy(keys)).not.toContainEqual([70, 71]);
  expect(meetBy(keys, () => true, areTwins)).toEqual([[70, 71]]);
});

test('no key is too long for the index, whatever the listing says', () => {
  const long = Array.from({ length: 400 }, (_, index) => `word${index}${'x'.repeat(30)}`).join(' ');
  const keys = blockingKeysOf(
    makeFingerprint(boat('a', { title: long, description: long, brand: long, model: long, serial: long })),
  );
  expect(Math.max(...keys.map((key) => Buffer.byteLength(key)))).toBeLessThan(1_000);
});
