import { isDeepStrictEqual } from 'node:util';
import { MIN_AVERAGE_SCORE, clusterByAverageLinkage, pairKey } from './cluster.ts';
import type { ExplainedLink } from './scan.ts';

/** A group as clustering has found it. */
export type FoundGroup = { links: ExplainedLink[]; members: string[]; confidence: number };

/** An undecided group; each of its links stands in it once. */
export type UndecidedGroup = { id: string; members: string[]; links: ExplainedLink[]; confidence: number };

type Bounds = { offered: ReadonlySet<string>; rejected: ReadonlySet<string>; makeId: () => string };

/** The score assumed for two members that no link joins: the clustering that put them together has seen them. */
const WITHIN_A_GROUP = MIN_AVERAGE_SCORE + 0.01;

/**
 * Merges a found group into the undecided ones: clustered anew from the links of both wherever they share a listing, so
 * that rejected pairs stay apart and no listing is in two groups. A group keeps its id where most of it stays together, and
 * its object where nothing changed.
 */
export function mergeIntoUndecided(waiting: Map<string, UndecidedGroup>, found: FoundGroup, bounds: Bounds): void {
  const touched = [...waiting.values()].filter(({ members }) => members.some((id) => found.members.includes(id)));
  const groups = [found, ...touched];
  const links = new Map(
    groups
      .toReversed()
      .flatMap((group) => group.links)
      .filter(({ first, second }) => bounds.offered.has(first) && bounds.offered.has(second))
      .filter(({ first, second }) => !bounds.rejected.has(pairKey(first, second)))
      .map((link) => [pairKey(link.first, link.second), link]),
  );
  const scoreOf = (one: string, other: string) =>
    links.get(pairKey(one, other))?.score ??
    (groups.some(({ members }) => members.includes(one) && members.includes(other)) ? WITHIN_A_GROUP : 0);
  const areDifferent = (one: string, other: string) => bounds.rejected.has(pairKey(one, other));
  // How many may be together was decided when they were found.
  const closed = clusterByAverageLinkage([...links.values()], scoreOf, areDifferent, Infinity);
  const free = new Map(touched.map((group) => [group.id, group]));
  for (const { id } of touched) waiting.delete(id);
  for (const { members, links: joined } of closed) {
    const sources = groups.filter(
      (group) => (group === found || !isWithin(group, found)) && group.members.some((id) => members.includes(id)),
    );
    const confidence = Math.min(...sources.map((group) => group.confidence), ...joined.map(({ score }) => score));
    const heir = nearestOf([...free.values()], members);
    if (heir) free.delete(heir.id);
    const within = joined.flatMap(({ first, second }) => links.get(pairKey(first, second)) ?? []);
    const group = { id: heir?.id ?? bounds.makeId(), members, links: within, confidence };
    waiting.set(group.id, heir && isSame(heir, group) ? heir : group);
  }
}

const isWithin = (group: { members: string[] }, found: FoundGroup) =>
  group.members.every((id) => found.members.includes(id));

function nearestOf(groups: readonly UndecidedGroup[], members: readonly string[]): UndecidedGroup | undefined {
  const shared = (group: UndecidedGroup) => group.members.filter((id) => members.includes(id)).length;
  const [nearest] = groups.toSorted((a, b) => shared(b) - shared(a) || (a.id < b.id ? -1 : 1));
  return nearest && shared(nearest) > 0 ? nearest : undefined;
}

/** Stored scores are rounded. */
function isSame(one: UndecidedGroup, other: UndecidedGroup): boolean {
  const known = ({ links }: UndecidedGroup) =>
    links.map(({ first, second, score }) => `${pairKey(first, second)} ${score.toFixed(4)}`).sort();
  return (
    isDeepStrictEqual(one.members, other.members) &&
    isDeepStrictEqual(known(one), known(other)) &&
    one.confidence.toFixed(4) === other.confidence.toFixed(4)
  );
}
