import { expect, test } from 'vitest';
import { findQueryHead } from '../../../../shared/search/query/title-heads.ts';

test.each([
  ['gold dress', 'dress', 'dresses'],
  ['cases for phone 5', 'cases', 'case'],
  ['phone 5', 'phone', 'phones'],
  ['für tischlampe', 'tischlampe', 'tischlampen'],
  ['batteries', 'battery', 'batteries'],
])('the head of "%s" is %s, also as %s', (q, ...heads) => {
  const { last } = findQueryHead(q.split(' ').map((typed) => ({ typed, query: '' }))) ?? {};
  for (const head of heads) expect(head).toMatch(new RegExp(`^(?:${last})$`));
});

test('a head is no longer word, and no number, preposition or letter', () => {
  const headOf = (...typed: string[]) => findQueryHead(typed.map((word) => ({ typed: word, query: '' })))?.last;
  expect('castle').not.toMatch(new RegExp(`^(?:${headOf('case')})$`));
  for (const typed of [['5', '16'], ['for'], ['x'], []]) expect(headOf(...typed)).toBeUndefined();
});
