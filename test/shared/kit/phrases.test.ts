import { expect, test } from 'vitest';
import { createPhraseFinder, foldText, readTokens } from '../../../shared/kit/phrases.ts';

const find = createPhraseFinder<string>([
  ['motor yacht', 'motor-yacht'],
  ['yacht', 'yacht'],
  ['dinghy', 'dinghy'],
  ['segelboot*', 'sail'],
  ['*anhänger', 'trailer'],
  ['요트', 'ko'],
]);
const search = (text: string) => {
  const folded = foldText(text);
  return find(readTokens(folded), folded).flatMap(({ values }) => values);
};

test('accents, case and ligatures do not count, Korean and Japanese stay whole', () => {
  expect(foldText('Müller STRAẞE Ærø œuvre ＡＢ')).toBe('muller strasse aero oeuvre ab');
  expect(foldText('요트 ガソリン')).toBe('요트 ガソリン');
});

test('the longest phrase wins and its words count once', () => {
  expect(search('Motor Yacht and yacht')).toEqual(['motor-yacht', 'yacht']);
});

test('plurals and words written together match', () => {
  expect(search('dinghies, motoryachts')).toEqual(['dinghy', 'motor-yacht']);
});

test('compounds match by their beginning or end', () => {
  expect(search('Segelbootverkauf mit Bootsanhänger')).toEqual(['sail', 'trailer']);
});

test('a phrase in Korean matches inside running text', () => {
  expect(search('중고요트판매')).toEqual(['ko']);
});

test('parts of words do not match', () => {
  expect(search('yachting megayacht')).toEqual([]);
});
