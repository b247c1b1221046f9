import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slugBase, uniqueSlug } from '../../../shared/listings/slug.ts';

test.each([
  ['Bavaria 46 Cruiser, 1999!', 'bavaria-46-cruiser-1999'],
  ['Schöne Größe', 'schone-grosse'],
  ['요트 판매', 'yoteu-panmae'],
  ['中古帆船', 'zhong-gu-fan-chuan'],
  ['Oceanis 40.1 .md', 'oceanis-40-1-md'],
  ['🚤🚤', 'listing'],
  ['---', 'listing'],
])("'%s' reads as %s", (title, slug) => {
  expect(slugBase(title)).toBe(slug);
});

test('words that follow a collection in a path are no slug of their own', () => {
  expect(slugBase('Availability')).toBe('availability-listing');
  expect(slugBase('AI generate')).toBe('ai-generate-listing');
});

test('a title that is an id does not give a slug of that form', () => {
  expect(slugBase('lst_01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe('lst-01arz3ndektsv4rrffq69g5fav');
});

test('a long title is cut between words, one endless word in its middle', () => {
  expect(slugBase('sailing '.repeat(20))).toBe(`${'sailing-'.repeat(9)}sailing`);
  expect(slugBase('a'.repeat(100))).toBe('a'.repeat(80));
});

test('every title gives 1-80 characters of a-z, 0-9 and single hyphens, with and without a suffix', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (title) => {
      const base = slugBase(title);
      for (const slug of [base, uniqueSlug(base, '7F3KQ')]) {
        expect(slug).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
        expect(slug.length).toBeLessThanOrEqual(80);
      }
      expect(uniqueSlug(base, '7F3KQ').endsWith('-7f3kq')).toBe(true);
    }),
  );
});
