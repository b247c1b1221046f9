import { logOddsOf, sigmoid, type Model } from './score.ts';

/** A pair with its score from the two listings alone. */
export type ScoredPair = {
  first: string;
  second: string;
  score: number;
  /** Whether both show images, and whether any is the same. */
  picture: 'unknown' | 'other' | 'same';
};

/** Weaker pairs are ignored: as evidence in context, and as duplicates. */
export const MIN_SCORE = 0.1;
const ALIKE_FROM = 0.3;
const SURE = 1e-6;
/** Log odds are clipped here: beyond, likeness says nothing more. */
const SUREST = 6;

/** The cluster of copies that a listing counts as, so that copies are one neighbour however many, and where it is offered. */
export type Standing = { cluster: string; source?: string };
export type StandingOf = (id: string) => Standing;
const aloneStanding: StandingOf = (id) => ({ cluster: id });

type Neighbour = { score: number; source?: string };
type Around = ReadonlyMap<string, Neighbour>;
/** For each listing its neighbours by cluster. */
export type Neighbours = ReadonlyMap<string, Around>;

const none: Around = new Map();

export function neighboursOf(
  pairs: readonly Pick<ScoredPair, 'first' | 'second' | 'score'>[],
  standingOf = aloneStanding,
): Neighbours {
  const neighbours = new Map<string, Map<string, Neighbour>>();
  const note = (one: string, other: string, score: number) => {
    const known = neighbours.get(one) ?? new Map<string, Neighbour>();
    const { cluster, source } = standingOf(other);
    if (score >= (known.get(cluster)?.score ?? 0)) known.set(cluster, { score, source });
    neighbours.set(one, known);
  };
  for (const { first, second, score } of pairs) {
    if (score < MIN_SCORE) continue;
    note(first, second, score);
    note(second, first, score);
  }
  return neighbours;
}

/**
 * Collective record linkage: rescores a pair by its neighbourhood. Common neighbours raise the score; neighbours that only
 * one has lower it, and most of all a better match in the same shop, which offers a thing once.
 */
export function rescoreInContext(
  pair: ScoredPair,
  neighbours: Neighbours,
  model: Model,
  standingOf = aloneStanding,
): number {
  if (pair.score < MIN_SCORE) return 0;
  return sigmoid(logOddsOf(model.context, contextValues(pair, neighbours, standingOf)));
}

/** The features that the context model weighs. */
export function contextValues(
  { first, second, score, picture }: ScoredPair,
  neighbours: Neighbours,
  standingOf = aloneStanding,
) {
  const [one, other] = [standingOf(first), standingOf(second)];
  const a = lookAround(neighbours.get(first) ?? none, [one.cluster, other.cluster], other.source);
  const b = lookAround(neighbours.get(second) ?? none, [one.cluster, other.cluster], one.source);
  const common = shareScores(a.scores, b.scores);
  const strays = [Math.max(0, a.sum - common), Math.max(0, b.sum - common)] as const;
  const alike = [a.alike, b.alike] as const;
  const areInShops = one.source !== undefined && other.source !== undefined;
  return {
    score: Math.min(SUREST, Math.max(-SUREST, Math.log((score + SURE) / (1 - score + SURE)))),
    agreeing: common / (0.3 + common + strays[0] + strays[1]),
    common: Math.log1p(common),
    strays_less: Math.log1p(Math.min(...strays)),
    strays_more: Math.log1p(Math.max(...strays)),
    rival: Math.max(0, Math.max(a.best, b.best) - score),
    alike_less: Math.log1p(Math.min(...alike)),
    alike_more: Math.log1p(Math.max(...alike)),
    in_shops: a.sum + b.sum > 0 ? (a.inShop + b.inShop) / (a.sum + b.sum) : Number(areInShops),
    picture: picture === 'same' ? 1 : 0,
    picture_unknown: picture === 'unknown' ? 1 : 0,
  };
}

/**
 * The neighbours of one listing beside the pair, and how much of their score stands where the other one of the pair does: a
 * shop offers a thing once, so that these are its rivals.
 */
function lookAround(around: Around, pair: readonly string[], source: string | undefined) {
  const scores = new Map<string, number>();
  let [sum, best, alike, inShop] = [0, 0, 0, 0];
  for (const [cluster, { score, source: own }] of around) {
    if (pair.includes(cluster)) continue;
    scores.set(cluster, score);
    sum += score;
    best = Math.max(best, score);
    if (score > ALIKE_FROM) alike += 1;
    if (source !== undefined && own === source) inShop += score;
  }
  return { scores, sum, best, alike, inShop };
}

function shareScores(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const [cluster, score] of fewer) common += Math.min(score, more.get(cluster) ?? 0);
  return common;
}
