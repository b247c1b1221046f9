import { expect, test } from 'vitest';
import { isCode, extractTerms } from '../../../shared/dedup/terms.ts';

test.each([
  ['capitals and accents do not count', 'ÉTOILE Bénéteau', ['etoile', 'beneteau']],
  ['letters with a hyphen are words of their own', 'Cyber-Shot', ['cyber', 'shot']],
  ['a code is one word, however it is split', 'PS-LX350H', ['pslx350h']],
  ['leading and trailing zeros of a number do not count', 'v2.0 07', ['2', '7']],
  ['markup and entities are no words', '<b>Lexar</b>&nbsp;32&quot;', ['lexar', '32in']],
  ['nothing between two strokes is no word', 'a//1', ['a', '1']],
  ['Japanese is read in pairs of characters', '中古艇', ['中古', '古艇']],
])('%s', (_, text, words) => {
  expect(extractTerms(text).words).toEqual(words);
});

test('numbers with a unit are measures, written together or apart and in whatever language', () => {
  expect(extractTerms('4GB 16 Go 500 ml 2.7"').measures).toEqual(['gb:4', 'gb:16', 'ml:500', 'in:2.7']);
  expect(extractTerms('4GB and 2 of them').numbers).toEqual(['2']);
});

test.each(['DSCW170', '981000040', 'gs105na'])('%s is a code', (word) => {
  expect(isCode(word.toLowerCase())).toBe(true);
});

test.each(['32gb', '2019', 'sony', 'mk2', '7.5ft'])('%s is no code', (word) => {
  expect(isCode(word)).toBe(false);
});

test('what stands apart is found written together', () => {
  expect(extractTerms('KX TG6700').joins).toContain('kxtg6700');
});

test.each(['', ' ', '\u0000', '🛥️🛥️', 'a'.repeat(10_000), '1'.repeat(10_000), '<'.repeat(5_000), '&'.repeat(5_000)])(
  'any text is read: %.20s',
  (text) => {
    expect(() => extractTerms(text)).not.toThrow();
  },
);
