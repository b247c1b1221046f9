/** A key that more listings have than this finds nobody: it tells nothing, and following it would cost the most. */
export const HOT_KEY = 50;
/** So many candidates of a listing are compared, those with the most and rarest keys in common. */
const MAX_CANDIDATES = 20;
/** Who has less than this in common with a listing, a few keys that many have, is no candidate. */
const MIN_MET = 0.35;
/** Among so many of them those are looked for that nothing rules out. */
const MAX_MET = 40;

type Id = string | number;

/** For each listing those that it has keys in common with, and how much that weighs. */
export type Met<I extends Id> = Map<I, Map<I, number>>;

/** Notes that these owners meet all holders of a key: the fewer hold it, the more that weighs. */
export function noteMet<I extends Id>(met: Met<I>, owners: readonly I[], holders: readonly I[]): void {
  if (holders.length > HOT_KEY) return;
  const weight = 1 / Math.log2(1 + holders.length);
  for (const owner of owners) {
    const others = met.get(owner) ?? new Map<I, number>();
    met.set(owner, others);
    for (const holder of holders) if (holder !== owner) others.set(holder, (others.get(holder) ?? 0) + weight);
  }
}

/** The best of those that a listing has met, the best first; which of them may be compared is another question. */
export function bestOf<I extends Id>(others: ReadonlyMap<I, number>): I[] {
  return [...others]
    .filter(([, weight]) => weight >= MIN_MET)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, MAX_MET)
    .map(([other]) => other);
}

/** The pairs that are worth a comparison, each once, the smaller first, of the best that each listing has met. */
export function pairUp<I extends Id>(
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
