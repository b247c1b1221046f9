import { expect, test } from 'vitest';
import { parseTsquery } from '../../../shared/search/typesense/tsquery.ts';
import {
  filterByWords,
  UnsupportedQuery,
  lexemePairKey,
  pairToken,
  wordToken,
} from '../../../shared/search/typesense/words.ts';

const known = new Set([lexemePairKey({ head: 'sail', gap: 1, tail: 'boat' })]);
const sailBoat = pairToken({ head: 'sail', gap: 1, tail: 'boat' });
const filter = (query: string) => filterByWords(query, 'words', known);

test.each([
  [`'sloop'`, 'words:=sloop'],
  [`'sloop' & 'teak'`, 'words:=sloop && words:=teak'],
  [`('sloop') & (('teak' | 'oak') | 'ash')`, 'words:=sloop && words:=[teak,oak,ash]'],
  [`'sailboat' | 'sail' <-> 'boat'`, `words:=[sailboat,${sailBoat}]`],
  [`'sloop' & !'teak'`, 'words:=sloop && words:!=teak'],
  [`!('a1' & ('b1' | 'c1'))`, 'words:!=a1 || (words:!=b1 && words:!=c1)'],
  [`'a1' & 'b1' | 'c1'`, 'words:=[c1] || (words:=a1 && words:=b1)'],
])('a filter finds what the tsquery %s matches', (query, expected) => {
  expect(filter(query)).toBe(expected);
});

test('words of any letters are words of the index, each its own', () => {
  const words = ['schön', '요트', "o'hara", 'a&b', 'c++', 'c', wordToken('c++')];
  const tokens = words.map(wordToken);
  expect(new Set(tokens).size).toBe(words.length);
  for (const token of tokens) expect(token).toMatch(/^[a-z0-9]{1,40}$/);
  expect(filter(`'o''hara'`)).toBe(`words:=${wordToken("o'hara")}`);
});

test('a run of Hangul or kana is found by its pairs', () => {
  const pairs = [
    { head: '세일', gap: 1, tail: '일링' },
    { head: '일링', gap: 1, tail: '링요' },
  ];
  expect(filter(`'세일' <-> '일링' <-> '링요'`)).toBe(pairs.map((pair) => `words:=${pairToken(pair)}`).join(' && '));
});

test.each([`'good' <-> 'repair'`, `'sail' <2> 'boat'`, `'sai':*`, `'sail':A`, `('a' | 'b') <-> 'c'`, ''])(
  'what documents do not tell is left to PostgreSQL: %s',
  (query) => {
    expect(() => filter(query)).toThrow(UnsupportedQuery);
  },
);

test('a tsquery that is not whole is none', () => {
  for (const query of [`'a' &`, `('a'`, `'a')`, `a`, `'a' 'b'`]) expect(parseTsquery(query)).toBeUndefined();
});
