import { describe, expect, test } from 'vitest';
import {
  createPrefixCollector,
  FREQUENT_FROM,
  type FrequentPrefix,
  type Completion,
} from '../../../../shared/search/suggest/frequent-prefixes.ts';

const byCodePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const better = (a: Completion, b: Completion) => b.popularity - a.popularity || byCodePoints(a.subject, b.subject);

function findHeads(texts: readonly string[]): { starts: Completion[]; heads: Map<string, readonly Completion[]> } {
  const starts = texts
    .map((start, index) => ({ subject: `lst_${index}`, place: 1, start, popularity: (index * 7) % 13 }))
    .toSorted((a, b) => byCodePoints(a.start, b.start));
  const finder = createPrefixCollector();
  const found: FrequentPrefix[] = [...starts.flatMap((start) => finder.add(start)), ...finder.end()];
  return { starts, heads: new Map(found.map(({ prefix, best }) => [prefix, best])) };
}

/** What a reader of the heads takes: the first of them that begins with what was typed. */
function readyFor(heads: Map<string, readonly Completion[]>, typed: string): readonly Completion[] | undefined {
  const first = [...heads.keys()].toSorted(byCodePoints).find((prefix) => prefix.startsWith(typed));
  return first === undefined ? undefined : heads.get(first);
}

function bestOf(starts: readonly Completion[], typed: string): Completion[] {
  const different = new Map<string, Completion>();
  for (const each of starts.filter(({ start }) => start.startsWith(typed)).toSorted(better))
    if (!different.has(each.start)) different.set(each.start, each);
  return [...different.values()].slice(0, 16);
}

describe('what is kept ready for crowded beginnings', () => {
  const words = ['ba', 'bav', 'bavaria', 'bay', 'b', 'élan', '中古', '😀', '😁', '46', 'cruiser'];
  const texts = Array.from({ length: 900 }, (_, index) => {
    const pick = (step: number) => words[(index * step + (index >> 4)) % words.length]!;
    return index % 3 === 0 ? `${pick(1)} ${pick(3)}` : `${pick(1)} ${pick(5)} ${index % 50}`;
  });
  const { starts, heads } = findHeads(texts);
  const typed = new Set(texts.flatMap((text) => [...text].map((_, end) => [...text].slice(0, end + 1).join(''))));

  test('is the most popular texts of exactly the beginnings that are crowded, each text once', () => {
    let crowded = 0;
    for (const each of typed) {
      const isCrowded = starts.filter(({ start }) => start.startsWith(each)).length >= FREQUENT_FROM;
      if (isCrowded) crowded += 1;
      expect(readyFor(heads, each), each).toEqual(isCrowded ? bestOf(starts, each) : undefined);
    }
    expect(crowded).toBeGreaterThan(20);
  });

  test('no beginning ends in half a letter', () => {
    expect([...heads.keys()].filter((prefix) => !prefix.isWellFormed())).toEqual([]);
    expect([...heads.keys()].some((prefix) => prefix.endsWith('😀 '))).toBe(true);
  });

  test('the same text very many times is one', () => {
    const same = findHeads(Array.from({ length: FREQUENT_FROM }, () => 'sea doo'));
    expect([...same.heads].map(([prefix, best]) => [prefix, best.length])).toEqual([['sea doo', 1]]);
    expect(findHeads(Array.from({ length: FREQUENT_FROM - 1 }, () => 'sea doo')).heads.size).toBe(0);
    expect(findHeads([]).heads.size).toBe(0);
  });
});
