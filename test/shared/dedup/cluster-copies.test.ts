import { expect, test } from 'vitest';
import { clusterCopies, linkClusters } from '../../../shared/dedup/cluster-copies.ts';

const link = (first: string, second: string, score = 0.9) => ({ first, second, score });
const copies = new Map(['a', 'b', 'c', 'd'].map((id) => [id, 'one ad']));
const headsOf = (links: ReturnType<typeof link>[], rejected: string[] = []) => {
  const headOf = clusterCopies(links, copies, new Set(rejected));
  return ['a', 'b', 'c', 'd', 'x'].map(headOf).join('');
};

test('copies of one ad are kept together along their links, and nobody else is', () => {
  expect(headsOf([link('a', 'b'), link('b', 'c'), link('c', 'x')])).toBe('aaadx');
});

test('a copy that people have told apart from another stays alone', () => {
  expect(headsOf([link('a', 'b'), link('a', 'c')], ['b c'])).toBe('aacdx');
});

test('a bundle is linked as strongly as the strongest of its members', () => {
  const links = [link('a', 'b'), link('a', 'x', 0.7), link('b', 'x', 0.8)];
  const headOf = clusterCopies(links, copies, new Set());
  expect([...linkClusters(links, headOf).values()]).toEqual([link('a', 'x', 0.8)]);
});
