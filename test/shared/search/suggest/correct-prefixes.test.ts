import { describe, expect, test } from 'vitest';
import {
  chooseAlternatives,
  correctPrefixes,
  mayBeFound,
  type WordFacts,
} from '../../../../shared/search/suggest/correct-prefixes.ts';

const nothing: WordFacts = { starts: 0, isKnown: false, meant: [], meantToBegin: [] };
const known: WordFacts = { ...nothing, starts: 1, isKnown: true };
const factsOf = (facts: Record<string, WordFacts>) => new Map(Object.entries(facts));
const mistyped = (typed: string, ...alike: string[]): WordFacts => ({
  ...nothing,
  ...chooseAlternatives(typed, alike),
});

describe('words that may stand in any order', () => {
  test('are looked for where every one begins some text', () => {
    expect(mayBeFound(['cruiser', 'bavaria'], factsOf({ cruiser: known, bavaria: known }))).toBe(true);
    expect(mayBeFound(['cruiser', 'bavaria'], factsOf({ cruiser: { ...known, starts: 0 }, bavaria: known }))).toBe(
      false,
    );
    expect(mayBeFound(['cruiser', 'xbox'], factsOf({ cruiser: known, xbox: nothing }))).toBe(false);
  });

  test('of a word of which nothing is known nothing is ruled out', () => {
    expect(mayBeFound(['cruiser', 'constructor'], factsOf({}))).toBe(true);
  });
});

describe('words that may be mistyped', () => {
  test('are replaced by known ones, in their order, the last also by what it may be the beginning of', () => {
    const facts = factsOf({
      bavaira: mistyped('bavaira', 'bavaria'),
      cruis: known,
      cruisr: mistyped('cruisr', 'cruiser', 'cruise', 'cruisers'),
    });
    expect(correctPrefixes(['bavaira', 'cruis'], facts)).toEqual([['bavaria', 'cruis']]);
    expect(correctPrefixes(['bavaira', 'cruisr'], facts)).toEqual([
      ['bavaria', 'cruiser'],
      ['bavaria', 'cruise'],
    ]);
  });

  test('are not, where another word is one that nothing has and nothing is like', () => {
    const facts = factsOf({ bavaira: mistyped('bavaira', 'bavaria'), xbox: nothing });
    expect(correctPrefixes(['bavaira', 'xbox'], facts)).toEqual([]);
    expect(correctPrefixes(['xbox'], facts)).toEqual([]);
  });

  test('are at most three, each once', () => {
    const { meant, meantToBegin } = chooseAlternatives('stern', ['stems', 'stert', 'steru', 'sterm', 'tern', 'stem']);
    expect(meant).toEqual(['stert', 'steru', 'sterm']);
    expect(new Set(meantToBegin).size).toBe(meantToBegin.length);
    expect(meantToBegin.length).toBeLessThanOrEqual(3);
  });
});
