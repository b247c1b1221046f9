import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
import { encodeIdOrder, exactKey, toJson, toMilli } from '../../../shared/search/typesense/encode.ts';

const order = (a: bigint | number | string, b: bigint | number | string) => (a < b ? -1 : a > b ? 1 : 0);

test('amounts of up to three decimals keep their order in thousandths, and only nothing is 0', () => {
  const amounts = fc.integer({ min: 0, max: 10 ** 15 }).map((milli) => milli / 1_000);
  fc.assert(fc.property(amounts, amounts, (a, b) => order(toMilli(a), toMilli(b)) === order(a, b)));
  expect([toMilli(0), toMilli(0.000_1)]).toEqual([0, 1]);
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

test('texts that Typesense would take for one have keys of their own, by the name of what they are', () => {
  expect(new Set(['C', 'C#', 'C++', 'c', 'ç', 'a,b', 'a:b'].map((text) => exactKey('brand', text))).size).toBe(7);
  expect(exactKey('brand', 'C')).not.toBe(exactKey('model', 'C'));
});

test('every digit of an integer is written', () => {
  expect(toJson({ id: 'a"b', at: 9_007_199_254_740_993n, none: undefined })).toBe(
    '{"id":"a\\"b","at":9007199254740993}',
  );
});
