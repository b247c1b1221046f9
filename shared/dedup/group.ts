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
