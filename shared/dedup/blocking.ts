/** The largest block: a key of more listings pairs nobody, since it tells nothing and its block would cost the most. */
export const MAX_BLOCK_SIZE = 50;
/** How many candidates of a listing are compared: those with the most and rarest keys in common. */
const MAX_CANDIDATES = 20;
/** The least weight of shared keys that makes a candidate: a few keys of large blocks are too little. */
const MIN_SHARED_WEIGHT = 0.35;
/** How many of the best candidates contradictions are looked for in. */
const MAX_RANKED = 40;

type Id = string | number;

/** Weighted blocking graph: for each listing those it shares a block with, by the sum of the weights of these blocks. */
export type CandidateWeights<I extends Id> = Map<I, Map<I, number>>;

/**
 * Adds a block to the graph: the holders of one key, weighted by its rarity (1 / log2(1 + size)). Blocks above
 * MAX_BLOCK_SIZE are dropped.
 */
export function addBlock<I extends Id>(graph: CandidateWeights<I>, owners: readonly I[], holders: readonly I[]): void {
  if (holders.length > MAX_BLOCK_SIZE) return;
  const weight = 1 / Math.log2(1 + holders.length);
  for (const owner of owners) {
    const others = graph.get(owner) ?? new Map<I, number>();
    graph.set(owner, others);
    for (const holder of holders) if (holder !== owner) others.set(holder, (others.get(holder) ?? 0) + weight);
  }
}

/** Top-k candidates of a listing by weight, heaviest first. */
export function topCandidates<I extends Id>(others: ReadonlyMap<I, number>): I[] {
  return [...others]
    .filter(([, weight]) => weight >= MIN_SHARED_WEIGHT)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, MAX_RANKED)
    .map(([other]) => other);
}

/** Meta-blocking by node pruning: the pairs of each listing with its best candidates, each pair once, the smaller id first. */
export function pairCandidates<I extends Id>(
  best: ReadonlyMap<I, readonly I[]>,
  mayPair: (one: I, other: I) => boolean = () => true,
): [I, I][] {
  const pairs = new Map<string, [I, I]>();
  for (const [one, others] of best)
    for (const other of others.filter((each) => mayPair(one, each)).slice(0, MAX_CANDIDATES)) {
      const pair: [I, I] = one < other ? [one, other] : [other, one];
      pairs.set(pair.join(' '), pair);
    }
  return [...pairs.values()];
}
