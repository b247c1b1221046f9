import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';
import { NO_LINK } from './cap-score.ts';
import { clusterByAverageLinkage, clusterCopies, linkClusters, pairKey } from './cluster.ts';
import { readStandings, readTraits } from './candidates.ts';
import { findContradiction } from './agreement.ts';
import type { Traits } from './fingerprint.ts';
import type { FoundGroup } from './regroup.ts';
import { createLinkFinder, type FindLinks, type ExplainedLink } from './scan.ts';
import { OFFERED, readRejections } from './stored-groups.ts';

/** The largest neighbourhood that is loaded: a larger component is clustered from the nearest of its listings. */
const MAX_AROUND = 1_000;

type Pairs = ReadonlyMap<string, ExplainedLink>;

/**
 * Clusters the connected component of links around these listings into groups, whoever else is in it. Listings that are no
 * longer offered, and pairs that people told apart, are in none. The confidence of a group is its weakest link, lowered by
 * any pair that is held apart by a cap.
 */
export async function findGroups(tx: Tx, listingIds: readonly string[], threshold: number): Promise<FoundGroup[]> {
  const settle = createLinkFinder(tx);
  const members = await findOffered(tx, await followLinks(settle, listingIds, threshold));
  if (members.size < 2) return [];
  const settled = (await settle([...members], 0)).filter(
    ({ first, second }) => members.has(first) && members.has(second),
  );
  const pairs = new Map(settled.map((link) => [pairKey(link.first, link.second), link]));
  const links = settled.filter(({ score }) => isLink(score, threshold));
  const traits = await readTraits(tx, [...members]);
  const rejected = await readRejections(tx, [...members]);
  const standings = await readStandings(tx, [...members]);
  return closeGroups(links, settled, { standings, traits, rejected }).map((group) => {
    const inside = new Set(group);
    const within = links.filter(({ first, second }) => inside.has(first) && inside.has(second));
    return { members: group, links: within, confidence: surenessOf(group, within, pairs, traits) };
  });
}

type Facts = {
  standings: Awaited<ReturnType<typeof readStandings>>;
  traits: ReadonlyMap<string, Traits>;
  rejected: ReadonlySet<string>;
};

/** Clusters by average linkage over representatives: copies of one ad count as one listing. */
function closeGroups(links: readonly ExplainedLink[], settled: readonly ExplainedLink[], facts: Facts): string[][] {
  const { standings, traits, rejected } = facts;
  const representativeOf = clusterCopies(links, (id) => standings.get(id)?.copy, rejected);
  const between = linkClusters(settled, representativeOf);
  const apart = new Set(
    [...rejected].map((pair) => pairKey(...(pair.split(' ').map(representativeOf) as [string, string]))),
  );
  const areDifferent = (one: string, other: string) => {
    const [a, b] = [traits.get(one), traits.get(other)];
    return (
      apart.has(pairKey(one, other)) || (a !== undefined && b !== undefined && findContradiction(a, b) !== undefined)
    );
  };
  const groups = clusterByAverageLinkage(
    [...linkClusters(links, representativeOf).values()],
    (one, other) => between.get(pairKey(one, other))?.score ?? 0,
    areDifferent,
  );
  const place = new Map(groups.flatMap(({ members }, at) => members.map((head) => [head, at] as const)));
  const linked = [...new Set(links.flatMap(({ first, second }) => [first, second]))];
  const all = Map.groupBy(linked, (id) => place.get(representativeOf(id)) ?? representativeOf(id));
  return [...all.values()].filter(({ length }) => length > 1).map((group) => group.toSorted());
}

const isLink = (score: number, threshold: number) => score >= threshold && score > NO_LINK;

/** Breadth-first search over links from these listings. */
async function followLinks(settle: FindLinks, listingIds: readonly string[], threshold: number): Promise<Set<string>> {
  const linked = new Set<string>();
  const seen = new Set(listingIds);
  for (let next: readonly string[] = listingIds; next.length > 0;) {
    const links = await settle(next, threshold);
    const ends = links.filter(({ score }) => isLink(score, threshold)).flatMap(({ first, second }) => [first, second]);
    for (const end of ends) linked.add(end);
    next = [...new Set(ends)].filter((end) => !seen.has(end)).slice(0, Math.max(0, MAX_AROUND - linked.size));
    for (const id of next) seen.add(id);
  }
  return linked;
}

async function findOffered(tx: Tx, ids: ReadonlySet<string>): Promise<Set<string>> {
  if (ids.size === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from listings where id = any(${[...ids]}::text[]) and status = any(${OFFERED}::text[])`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

function surenessOf(
  members: readonly string[],
  links: readonly ExplainedLink[],
  pairs: Pairs,
  traits: ReadonlyMap<string, Traits>,
): number {
  const held = members.flatMap((one, at) =>
    members.slice(at + 1).flatMap((other) => {
      const pair = pairs.get(pairKey(one, other));
      if (pair) return pair.by.length > 0 ? [pair.score] : [];
      const [a, b] = [traits.get(one), traits.get(other)];
      return a?.source !== undefined && a.source === b?.source ? [NO_LINK] : [];
    }),
  );
  return Math.min(...links.map(({ score }) => score), ...held);
}
