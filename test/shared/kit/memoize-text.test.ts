import { expect, test } from 'vitest';
import { memoizeText } from '../../../shared/kit/memoize-text.ts';

test('a text that comes again is not read again, also one without an answer', () => {
  const read: string[] = [];
  const firstDigit = memoizeText((text) => {
    read.push(text);
    return /\d/.exec(text)?.[0];
  });
  const texts = ['a boat of 1975', 'no number', 'a boat of 1975', 'no number'];
  expect(texts.map(firstDigit)).toEqual(['1', undefined, '1', undefined]);
  expect(read).toEqual(['a boat of 1975', 'no number']);
});

test('texts without end do not fill the memory, and keep their answers', () => {
  const lengthOf = memoizeText((text) => text.length);
  for (let n = 0; n < 10_000; n += 1) expect(lengthOf(`text ${n}`)).toBe(`text ${n}`.length);
});
