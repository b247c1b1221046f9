import { expect, test } from 'vitest';
import { clusterByAverageLinkage, clusterCopies, linkClusters, type Link } from '../../../shared/dedup/cluster.ts';

const link = (first: string, second: string, score: number): Link => ({ first, second, score });

function group(links: Link[], different: string[] = []) {
  const scores = new Map(links.map(({ first, second, score }) => [`${first}${second}`, score]));
  const scoreOf = (one: string, other: string) => scores.get([one, other].toSorted().join('')) ?? 0;
  const areDifferent = (one: string, other: string) => different.includes([one, other].toSorted().join(''));
  return clusterByAverageLinkage(links, scoreOf, areDifferent).map(({ members }) => members.join(''));
}

test('a group is closed over its links', () => {
  expect(
    group([link('a', 'b', 0.9), link('b', 'c', 0.9), link('a', 'c', 0.7), link('x', 'y', 0.8)]).toSorted(),
  ).toEqual(['abc', 'xy']);
});

test('a chain of pairs whose ends are unlike is not one group', () => {
  expect(group([link('a', 'b', 0.95), link('b', 'c', 0.7), link('c', 'd', 0.95)]).toSorted()).toEqual(['ab', 'cd']);
});

test('a contradiction anywhere among the members keeps two groups apart', () => {
  const links = [link('a', 'b', 0.95), link('a', 'c', 0.9), link('b', 'c', 0.9)];
  expect(group(links)).toEqual(['abc']);
  expect(group(links, ['bc'])).toEqual(['ab']);
});

test('the confidence of a group is that of its weakest link, and the order of links does not matter', () => {
  const links = [link('a', 'b', 0.9), link('a', 'c', 0.7), link('b', 'c', 0.8)];
  const all = [links, links.toReversed()].map((each) =>
    clusterByAverageLinkage(
      each,
      () => 0.8,
      () => false,
    ),
  );
  expect(all[0]?.[0]?.confidence).toBe(0.7);
  expect(all[1]?.[0]?.members).toEqual(all[0]?.[0]?.members);
});

test('a group has fifty members at most', () => {
  const ids = Array.from({ length: 60 }, (_, index) => `listing ${String(index).padStart(2, '0')}`);
  const links = ids.flatMap((one, index) => ids.slice(index + 1).map((other) => link(one, other, 0.9)));
  const sizes = clusterByAverageLinkage(
    links,
    () => 0.9,
    () => false,
  ).map(({ members }) => members.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(50);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60);
});

const copies = new Map(['a', 'b', 'c', 'd'].map((id) => [id, 'one ad']));
const headsOf = (links: Link[], rejected: string[] = []) => {
  const headOf = clusterCopies(links, (id) => copies.get(id), new Set(rejected));
  return ['a', 'b', 'c', 'd', 'x'].map(headOf).join('');
};

test('copies of one ad are kept together along their links, and nobody else is', () => {
  expect(headsOf([link('a', 'b', 0.9), link('b', 'c', 0.9), link('c', 'x', 0.9)])).toBe('aaadx');
});

test('a copy that people have told apart from another stays alone', () => {
  expect(headsOf([link('a', 'b', 0.9), link('a', 'c', 0.9)], ['b c'])).toBe('aacdx');
});

test('a bundle is linked as strongly as the strongest of its members', () => {
  const links = [link('a', 'b', 0.9), link('a', 'x', 0.7), link('b', 'x', 0.8)];
  const headOf = clusterCopies(links, (id) => copies.get(id), new Set());
  expect([...linkClusters(links, headOf).values()]).toEqual([link('a', 'x', 0.8)]);
});
