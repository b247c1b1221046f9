import type { Fingerprint } from './fingerprint.ts';

/** The largest block: a key of more listings pairs nobody, since it tells nothing and its block would cost the most. */
export const MAX_BLOCK_SIZE = 100;
/** How many candidates of a listing are compared: those with the most and rarest keys in common. */
const MAX_CANDIDATES = 50;
/** The least weight of shared keys that makes a candidate: a few keys of large blocks are too little. */
const MIN_SHARED_WEIGHT = 0.15;
/** How many of the best candidates contradictions are looked for in. */
const MAX_RANKED = 100;

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

const MAX_WORDS = 14;
const MAX_CODES = 6;
const MAX_IMAGES = 4;

/**
 * The blocking keys of a listing: words, adjacent word pairs, codes, serial number, quarters of image hashes, bands of the
 * description's MinHash signature (LSH). Two listings without a common key are never compared.
 */
export function blockingKeysOf(print: Fingerprint): string[] {
  const keys = new Set<string>();
  const { words, codes, joins } = print.title;
  const telling = words.filter((word) => word.length > 1).slice(0, MAX_WORDS);
  for (const word of telling) keys.add(`w:${word}`);
  for (const [index, word] of telling.slice(1).entries()) keys.add(neighboursKey(telling[index] ?? '', word));
  for (const code of [...codes, ...print.codes].slice(0, MAX_CODES)) {
    keys.add(`w:${code}`);
    if (code.length >= 6) keys.add(`c:${code.slice(0, -1)}`);
    if (code.length >= 5) keys.add(`c:${code}`);
  }
  for (const joined of joins.slice(0, MAX_CODES)) keys.add(`w:${joined}`);
  if (print.gtin) keys.add(`g:${print.gtin}`);
  if (print.mpn) keys.add(`c:${print.mpn}`);
  if (print.serial) keys.add(`s:${print.serial}`);
  if (print.brand && print.model) keys.add(`m:${print.brand} ${print.model} ${print.year ?? ''}`);
  for (const hash of print.images?.slice(0, MAX_IMAGES) ?? [])
    for (let quarter = 0; quarter < 4; quarter++) keys.add(`p${quarter}:${hash.slice(quarter * 4, quarter * 4 + 4)}`);
  for (let band = 0; band + 4 <= print.minhash.length; band += 4)
    keys.add(`d${band / 4}:${print.minhash.slice(band, band + 4).join('.')}`);
  return [...keys];
}

/** The same key for two words in either order. */
const neighboursKey = (one: string, other: string) => (one < other ? `n:${one} ${other}` : `n:${other} ${one}`);
