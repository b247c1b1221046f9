import { expect, test } from 'vitest';
import { compilePattern } from '../../../shared/scrapers/pattern.ts';

const addresses = (n: number) => Array.from({ length: n }, (_, i) => `https://a.example/${i}/${'a'.repeat(1_900)}`);

test('a pattern of one repetition is stopped too, where a page has thousands of addresses made for it', () => {
  const isRecord = compilePattern('a[a-z]*0$', 200);
  expect(isRecord(addresses(10))).toEqual(Array(10).fill(false));
  expect(() => isRecord(addresses(3_000))).toThrow('A pattern takes too long on the links of this page.');
});
