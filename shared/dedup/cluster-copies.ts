import type { Link } from './group.ts';
import { pairKey } from './regroup.ts';

/** The largest cluster of copies. */
const MAX_COPIES = 200;

/** The representative of the cluster of copies that a listing is in: its smallest id; itself where it has no copies. */
export type RepresentativeOf = (id: string) => string;

/**
 * Clusters copies of one ad as connected components of their links, however few of their pairs are known. A listing that
 * people have told apart from any member stays alone.
 */
export function clusterCopies(
  links: readonly Link[],
  copies: ReadonlyMap<string, string>,
  rejected: ReadonlySet<string>,
): RepresentativeOf {
  const clusters = new Map<string, string[]>();
  const clusterOf = (id: string) => clusters.get(id) ?? [id];
  for (const { first, second } of links) {
    const copy = copies.get(first);
    if (copy === undefined || copy !== copies.get(second)) continue;
    const [one, other] = [clusterOf(first), clusterOf(second)];
    if (one === other || one.length + other.length > MAX_COPIES) continue;
    const joined = [...one, ...other];
    for (const id of joined) clusters.set(id, joined);
  }
  for (const pair of rejected) {
    const [first = '', second = ''] = pair.split(' ');
    if (clusters.get(first) !== clusters.get(second)) continue;
    const rest = clusterOf(first).filter((id) => id !== second);
    for (const id of rest) clusters.set(id, rest);
    clusters.set(second, [second]);
  }
  const representatives = new Map(
    [...clusters].map(([id, cluster]) => [id, cluster.reduce((a, b) => (a < b ? a : b))]),
  );
  return (id) => representatives.get(id) ?? id;
}

/** The strongest link between any two clusters; links within one are left out. */
export function linkClusters(links: readonly Link[], representativeOf: RepresentativeOf): Map<string, Link> {
  const strongest = new Map<string, Link>();
  for (const { first, second, score } of links) {
    const [one, other] = [representativeOf(first), representativeOf(second)];
    if (one === other) continue;
    const pair = pairKey(one, other);
    if (score > (strongest.get(pair)?.score ?? -1))
      strongest.set(pair, { first: one < other ? one : other, second: one < other ? other : one, score });
  }
  return strongest;
}
