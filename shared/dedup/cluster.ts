/** The key of a pair, the same in either order. */
export const pairKey = (one: string, other: string) => (one < other ? `${one} ${other}` : `${other} ${one}`);

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
  copyOf: (id: string) => string | undefined,
  rejected: ReadonlySet<string>,
): RepresentativeOf {
  const clusters = new Map<string, string[]>();
  const clusterOf = (id: string) => clusters.get(id) ?? [id];
  for (const { first, second } of links) {
    const copy = copyOf(first);
    if (copy === undefined || copy !== copyOf(second)) continue;
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

/** An edge of the duplicate graph, with its score. */
export type Link = { first: string; second: string; score: number };

export type Group = { members: string[]; links: Link[]; confidence: number };

/** The largest group, copies of one ad counted once. */
const MAX_GROUP_SIZE = 50;
/** Two clusters are joined from this average score of their pairs on; an unknown pair counts as 0. */
export const MIN_AVERAGE_SCORE = 0.57;

/**
 * Agglomerative clustering by average linkage, strongest link first: a link that would chain listings that are unlike, or
 * known to be different, joins nothing.
 */
export function clusterByAverageLinkage(
  links: readonly Link[],
  scoreOf: (one: string, other: string) => number,
  areDifferent: (one: string, other: string) => boolean,
  largest = MAX_GROUP_SIZE,
): Group[] {
  const groupOf = new Map<string, string[]>();
  const strongestFirst = links.toSorted(
    (a, b) => b.score - a.score || (a.first < b.first ? -1 : 1) || (a.second < b.second ? -1 : 1),
  );
  for (const { first, second } of strongestFirst) {
    const [one, other] = [groupOf.get(first) ?? [first], groupOf.get(second) ?? [second]];
    if (one === other || one.length + other.length > largest) continue;
    const pairs = one.flatMap((a) => other.map((b) => [a, b] as const));
    const average = pairs.reduce((sum, [a, b]) => sum + scoreOf(a, b), 0) / pairs.length;
    if (average < MIN_AVERAGE_SCORE || pairs.some(([a, b]) => areDifferent(a, b))) continue;
    const joined = [...one, ...other];
    for (const member of joined) groupOf.set(member, joined);
  }
  const within = Map.groupBy(
    strongestFirst.filter(({ first, second }) => groupOf.has(first) && groupOf.get(first) === groupOf.get(second)),
    ({ first }) => groupOf.get(first),
  );
  return [...new Set(groupOf.values())].map((members) => {
    const inside = within.get(members) ?? [];
    return { members: members.toSorted(), links: inside, confidence: Math.min(...inside.map(({ score }) => score)) };
  });
}
