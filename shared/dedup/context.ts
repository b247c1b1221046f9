import { parseWeights, sigmoid, logOddsOf } from './score.ts';
import { withoutImages, withImages } from './weights.ts';

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
/** The signal `few` grows as the corpus shrinks below so many listings, where likeness by chance is rarer. */
const MANY = 20_000;
const MAX_FEW = Math.log(5);
/** Log odds are clipped here: beyond, likeness says nothing more. */
const SUREST = 6;

/** The cluster of copies that a listing counts as, so that copies are one neighbour however many they are. */
export type ClusterOf = (id: string) => string;
const ownCluster: ClusterOf = (id) => id;

/** For each listing its neighbours, by cluster, with the score of the pair. */
export type Neighbours = ReadonlyMap<string, ReadonlyMap<string, number>>;

const none: ReadonlyMap<string, number> = new Map();

export function neighboursOf(
  pairs: readonly Pick<ScoredPair, 'first' | 'second' | 'score'>[],
  clusterOf = ownCluster,
): Neighbours {
  const neighbours = new Map<string, Map<string, number>>();
  const note = (one: string, other: string, score: number) => {
    const known = neighbours.get(one) ?? new Map<string, number>();
    neighbours.set(one, known.set(clusterOf(other), Math.max(score, known.get(clusterOf(other)) ?? 0)));
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
 * one has, or that fit one of them better, lower it.
 */
export function rescoreInContext(
  pair: ScoredPair,
  neighbours: Neighbours,
  listings: number,
  clusterOf = ownCluster,
): number {
  if (pair.score < MIN_SCORE) return 0;
  const values = contextValues(pair, neighbours, listings, clusterOf);
  return sigmoid(logOddsOf(pair.picture === 'unknown' ? ofBare : ofPictured, values));
}

/** The features that the models `withImages` and `withoutImages` weigh. */
export const contextValues = (pair: ScoredPair, neighbours: Neighbours, listings: number, clusterOf = ownCluster) => ({
  ...contextFeatures(pair, neighbours, clusterOf),
  few: Math.min(MAX_FEW, Math.max(0, Math.log(MANY / listings))),
  score: Math.min(SUREST, Math.log((pair.score + SURE) / (1 - pair.score + SURE))),
  picture: pair.picture === 'same' ? 1 : 0,
});

const ofPictured = parseWeights(withImages);
const ofBare = parseWeights(withoutImages);

function contextFeatures({ first, second, score }: ScoredPair, neighbours: Neighbours, clusterOf: ClusterOf) {
  const [one, other] = [clusterOf(first), clusterOf(second)];
  const [ofFirst, ofSecond] = [neighbours.get(first) ?? none, neighbours.get(second) ?? none];
  const [a, b] = [without(ofFirst, one, other), without(ofSecond, one, other)];
  let common = 0;
  for (const [name, value] of a) common += Math.min(value, b.get(name) ?? 0);
  const strays = [strayScore(a, b), strayScore(b, a)] as const;
  const own = score > ALIKE_FROM ? 1 : 0;
  const alike = [countAlike(a) + own, countAlike(b) + own] as const;
  const rival = Math.max(best(a), best(b));
  return {
    agreeing: common / (0.3 + common + strays[0] + strays[1]),
    common: Math.log1p(common),
    strays_less: Math.log1p(Math.min(...strays)),
    strays_more: Math.log1p(Math.max(...strays)),
    rival: Math.max(0, rival - score),
    alike_less: Math.log1p(Math.min(...alike)),
    alike_more: Math.log1p(Math.max(...alike)),
  };
}

type Scores = ReadonlyMap<string, number>;

function without(scores: Scores, one: string, other: string): Scores {
  const rest = new Map(scores);
  rest.delete(one);
  rest.delete(other);
  return rest;
}

function strayScore(of: Scores, than: Scores): number {
  let strays = 0;
  for (const [name, value] of of) strays += Math.max(0, value - (than.get(name) ?? 0));
  return strays;
}

const countAlike = (scores: Scores) => scores.values().reduce((n, value) => (value > ALIKE_FROM ? n + 1 : n), 0);
const best = (scores: Scores) => scores.values().reduce((most, value) => Math.max(most, value), 0);
