import { expect, test } from 'vitest';
import { MERGED_FROM } from '../../../shared/dedup/cap-score.ts';
import { pairKey, readAbtBuy, readStock } from '../../bench/dedup-data.ts';
import { findDuplicates } from '../../bench/dedup-find.ts';

// These read real offers from the shared data folder, and are skipped where it is absent.
const shops = readAbtBuy();
const stock = readStock()?.slice(0, 2_000);

test.skipIf(!shops)('the offers that two shops have in common are found, and few others', () => {
  const { subjects = [], matches = new Set<string>() } = shops ?? {};
  const positions = new Map(subjects.map(({ id }, index) => [id, index]));
  const { links } = findDuplicates(subjects, true);
  const right = links.filter(({ first, second }) =>
    matches.has(pairKey(positions.get(first) ?? -1, positions.get(second) ?? -1)),
  );
  expect(right.length / links.length).toBeGreaterThan(0.9);
  expect(right.length / matches.size).toBeGreaterThan(0.8);
});

test.skipIf(!stock)('identical stock of dealers is never merged by itself', () => {
  const { links, candidates } = findDuplicates(stock ?? []);
  expect(candidates.length).toBeGreaterThan(1_000);
  expect(links.filter(({ score }) => score >= MERGED_FROM)).toEqual([]);
});
