import { expect, test } from 'vitest';
import { contentHash } from '../../../shared/listings/content-hash.ts';

const hash = (title: string, description: string) => contentHash(title, description).toString('hex');

test.each([
  ['letter case', 'Bavaria 46', 'A NICE Boat', 'BAVARIA 46', 'a nice bOAT'],
  ['white space', 'Bavaria 46', 'A nice boat', ' Bavaria\t46 ', 'A\n\nnice boat\u00A0'],
  ['Unicode composition', 'Caf\u00E9', 'd\u00E9riveur', 'Cafe\u0301', 'de\u0301riveur'],
  ['sharp s and capitals', 'Große Yacht', 'Straße', 'GROSSE YACHT', 'STRASSE'],
  ['Greek final sigma', 'ΟΔΥΣΣΕΥΣ', 'σκάφος', 'οδυσσευς', 'ΣΚΆΦΟΣ'],
])('%s does not count', (_what, title, description, otherTitle, otherDescription) => {
  expect(hash(title, description)).toBe(hash(otherTitle, otherDescription));
});

test.each([
  ['another word', 'Bavaria 46', 'A nice boat', 'Bavaria 46', 'A fine boat'],
  ['punctuation', 'Bavaria 46', 'A nice boat', 'Bavaria 46', 'A nice boat!'],
  ['accents', 'Cote', 'A nice boat', 'Côte', 'A nice boat'],
  ['the border between title and description', 'Bavaria', '46 A nice boat', 'Bavaria 46', 'A nice boat'],
])('%s counts', (_what, title, description, otherTitle, otherDescription) => {
  expect(hash(title, description)).not.toBe(hash(otherTitle, otherDescription));
});

test('it is a SHA-256', () => {
  expect(contentHash('a', 'b')).toHaveLength(32);
});
