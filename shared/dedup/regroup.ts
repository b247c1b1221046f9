import { isDeepStrictEqual } from 'node:util';
import { AVERAGE_FROM, groupLinks } from './group.ts';
import type { SettledLink } from './scan.ts';

/** A group as a scan has closed it. */
export type FoundGroup = { links: SettledLink[]; members: string[]; confidence: number };

/** An undecided group; each of its links stands in it once. */
export type WaitingGroup = { id: string; members: string[]; links: SettledLink[]; confidence: number };

type Bounds = { offered: ReadonlySet<string>; rejected: ReadonlySet<string>; makeId: () => string };

/** The name of a pair, whichever comes first. */
export const pairOf = (one: string, other: string) => (one < other ? `${one} ${other}` : `${other} ${one}`);

/** Two of a group that no link joins are taken to be as alike as a group needs: whoever closed it has looked at them. */
const WITHIN_A_GROUP = AVERAGE_FROM + 0.01;

/**
 * Puts a found group among those that wait: closed anew from the links of both, wherever they share a listing, so that what
 * is rejected stays apart and no listing waits twice. A group that waits keeps its id where most of it stays together, and
 * its very object where nothing about it has changed.
 */
export function regroup(waiting: Map<string, WaitingGroup>, found: FoundGroup, bounds: Bounds): void {
  const touched = [...waiting.values()].filter(({ members }) => members.some((id) => found.members.includes(id)));
  const groups = [found, ...touched];
  const links = new Map(
    groups
      .toReversed()
      .flatMap((group) => group.links)
      .filter(({ first, second }) => bounds.offered.has(first) && bounds.offered.has(second))
      .filter(({ first, second }) => !bounds.rejected.has(pairOf(first, second)))
      .map((link) => [pairOf(link.first, link.second), link]),
  );
  const scoreOf = (one: string, other: string) =>
    links.get(pairOf(one, other))?.score ??
    (groups.some(({ members }) => members.includes(one) && members.includes(other)) ? WITHIN_A_GROUP : 0);
  const areDifferent = (one: string, other: string) => bounds.rejected.has(pairOf(one, other));
  // How many may be together was decided when they were found.
  const closed = groupLinks([...links.values()], scoreOf, areDifferent, Infinity);
  const free = new Map(touched.map((group) => [group.id, group]));
  for (const { id } of touched) waiting.delete(id);
  for (const { members, links: joined } of closed) {
    const sources = groups.filter(
      (group) => (group === found || !isWithin(group, found)) && group.members.some((id) => members.includes(id)),
    );
    const confidence = Math.min(...sources.map((group) => group.confidence), ...joined.map(({ score }) => score));
    const heir = nearestOf([...free.values()], members);
    if (heir) free.delete(heir.id);
    const within = joined.flatMap(({ first, second }) => links.get(pairOf(first, second)) ?? []);
    const group = { id: heir?.id ?? bounds.makeId(), members, links: within, confidence };
    waiting.set(group.id, heir && isSame(heir, group) ? heir : group);
  }
}

/** What was found last knows better. */
const isWithin = (group: { members: string[] }, found: FoundGroup) =>
  group.members.every((id) => found.members.includes(id));

function nearestOf(groups: readonly WaitingGroup[], members: readonly string[]): WaitingGroup | undefined {
  const shared = (group: WaitingGroup) => group.members.filter((id) => members.includes(id)).length;
  const [nearest] = groups.toSorted((a, b) => shared(b) - shared(a) || (a.id < b.id ? -1 : 1));
  return nearest && shared(nearest) > 0 ? nearest : undefined;
}

/** Scores are kept with less precision than they are found. */
function isSame(one: WaitingGroup, other: WaitingGroup): boolean {
  const known = ({ links }: WaitingGroup) =>
    links.map(({ first, second, score }) => `${pairOf(first, second)} ${score.toFixed(4)}`).sort();
  return (
    isDeepStrictEqual(one.members, other.members) &&
    isDeepStrictEqual(known(one), known(other)) &&
    one.confidence.toFixed(4) === other.confidence.toFixed(4)
  );
}
