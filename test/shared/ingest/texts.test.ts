import fc from 'fast-check';
import { expect, test } from 'vitest';
import { truncateAtWord, fitTexts } from '../../../shared/ingest/texts.ts';

const facts = { category: 'Sailboats', place: 'Horn, CH' };
const boat = { ...facts, brand: 'Bavaria', model: '38', year: 2006, lengthM: 11.9 };

test('a text is cut at the last whole word that fits, and only when it is too long', () => {
  expect(truncateAtWord('aaa bbb ccc', 11)).toBe('aaa bbb ccc');
  expect(truncateAtWord('aaa bbb ccc', 8)).toBe('aaa bbb…');
  expect(truncateAtWord('aaa bbb ccc', 9)).toBe('aaa bbb…');
  expect(truncateAtWord('aaa bbb, - ccc', 12)).toBe('aaa bbb…');
});

test('a text without spaces is cut in its middle, never in the middle of a character', () => {
  expect(truncateAtWord('x'.repeat(20), 7)).toBe('xxxxxx…');
  expect(truncateAtWord('🐚'.repeat(20), 7)).toBe('🐚🐚🐚🐚🐚🐚…');
  expect(truncateAtWord(`a ${'漢'.repeat(20)}`, 7)).toBe('a 漢漢漢漢…');
});

test('whatever comes in, title and description have the lengths of a listing, or there is no title', () => {
  const text = fc.option(fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.lorem({ maxCount: 1_500 })), {
    nil: undefined,
  });
  fc.assert(
    fc.property(text, text, text, fc.boolean(), (title, description, long, isBoat) => {
      const texts = fitTexts({ title, description, long_description: long }, isBoat ? boat : facts);
      if (!texts) return;
      const [titleLength, descriptionLength] = [[...texts.title].length, [...texts.description].length];
      expect(titleLength).toBeGreaterThanOrEqual(5);
      expect(titleLength).toBeLessThanOrEqual(120);
      expect(descriptionLength).toBeGreaterThanOrEqual(20);
      expect(descriptionLength).toBeLessThanOrEqual(5_000);
    }),
  );
});

test('what is cut is kept whole in the long description', () => {
  const title = 'word '.repeat(40).trim();
  const description = 'A sentence about a boat. '.repeat(300).trim();
  expect(fitTexts({ title, description }, facts)?.longDescription).toBe(`${title}\n\n${description}`);
  expect(fitTexts({ title: 'A short title', description }, facts)?.longDescription).toBe(description);
  expect(
    fitTexts({ title: 'A short title', description, long_description: 'Longer still' }, facts)?.longDescription,
  ).toBe('Longer still');
  expect(
    fitTexts({ title: 'A short title', description: 'Twenty characters at least.' }, facts)?.longDescription,
  ).toBeNull();
});

test('a missing title is made from maker and model; a year alone names nothing', () => {
  expect(fitTexts({}, boat)?.title).toBe('Bavaria 38 2006');
  expect(fitTexts({ title: '38' }, boat)?.title).toBe('38 Bavaria 2006');
  expect(fitTexts({}, { ...facts, year: 2006 })).toBeUndefined();
});
