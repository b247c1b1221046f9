import { dayOf } from '../../../shared/kit/clock.ts';
import { describe, expect, test } from 'vitest';
import { isFitToSuggest, normalizeTerm } from '../../../shared/search/terms.ts';

describe('what is kept of a search', () => {
  test.each([
    ['  Bavaria   46 ', 'bavaria 46'],
    ['SEGELBOOT\tGebraucht', 'segelboot gebraucht'],
    ['e\u0301lan', 'élan'],
    ['中古ヨット', '中古ヨット'],
    ['hallberg-rassy 36', 'hallberg-rassy 36'],
    ['2005 bavaria', '2005 bavaria'],
    ['boat €5,000', 'boat €5,000'],
  ])('%j is counted as %j', (q, term) => expect(normalizeTerm(q)).toBe(term));

  test.each([
    'jane@example.com',
    'mail jane @ example',
    '+49 431 123 45 67',
    '(305) 555-0100',
    'call 5550100',
    '4111 1111 1111 1111',
    'https://example.com/boat',
    'www.example.com',
    'a',
    '',
    'x'.repeat(101),
    '"hallberg rassy"',
    'boat -sail',
    'a\u0000b',
    'a\u202Eb',
  ])('nothing is kept of %j', (q) => expect(normalizeTerm(q)).toBeUndefined());

  test('moderation decides what others may see', () => {
    expect(['bavaria 46', 'flare pistol', 'whore', 'c0caine'].map(isFitToSuggest)).toEqual([true, true, false, false]);
  });

  test('days are those of UTC', () => {
    expect(dayOf(new Date('2026-03-01T23:30:00-05:00'))).toBe('2026-03-02');
  });
});
