import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
import {
  ngramsOf,
  ngramsToFind,
  encodeIdOrder,
  encodeSortable,
  toJson,
  token,
} from '../../../shared/search/typesense/encode.ts';

const order = (a: bigint | number | string, b: bigint | number | string) => (a < b ? -1 : a > b ? 1 : 0);

test('numbers keep their order as integers, whatever their size and sign', () => {
  const numbers = fc.double({ noNaN: true });
  fc.assert(fc.property(numbers, numbers, (a, b) => order(encodeSortable(a), encodeSortable(b)) === order(a, b)));
  expect(encodeSortable(-0)).toBe(encodeSortable(0));
});

test('ids keep their order as pairs of integers of 64 bits', () => {
  const ids = Array.from({ length: 50 }, () => newId('listing'));
  const places = ids.map(encodeIdOrder);
  for (const [index, place] of places.entries()) {
    const before = places[index - 1];
    expect(BigInt.asIntN(64, place.high)).toBe(place.high);
    expect(BigInt.asIntN(64, place.low)).toBe(place.low);
    if (before) expect(order(before.high, place.high) || order(before.low, place.low)).toBe(-1);
  }
});

test('a text has the tokens of every part of it, in any letter case, and no tokens of another attribute', () => {
  const letters = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(letters, fc.nat(), fc.nat(), (text, from, length) => {
      const all = [...text.toLowerCase()];
      const start = from % all.length;
      const part = all.slice(start, start + 1 + (length % all.length)).join('');
      const grams = new Set(ngramsOf('brand', text));
      expect(ngramsToFind('brand', part).every((gram) => grams.has(gram))).toBe(true);
      expect(ngramsToFind('model', part).some((gram) => grams.has(gram))).toBe(false);
    }),
  );
});

test('texts that Typesense would take for one have tokens of their own', () => {
  expect(new Set(['C', 'C#', 'C++', 'c', 'ç', 'a,b', 'a:b'].map((text) => token(text))).size).toBe(7);
});

test('every digit of an integer is written', () => {
  expect(toJson({ id: 'a"b', at: 9_007_199_254_740_993n, none: undefined })).toBe(
    '{"id":"a\\"b","at":9007199254740993}',
  );
});
