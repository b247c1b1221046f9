import { prepare, probability, sumUp } from './score.ts';
import { bare, pictured } from './weights.ts';

/** A pair and its score by the two alone. */
export type ScoredPair = {
  first: string;
  second: string;
  score: number;
  /** Whether both show pictures, and whether they show the same. */
  picture: 'unknown' | 'other' | 'same';
};

/** Weaker pairs are no evidence for or against others, and no matter how others stand to them, no duplicates. */
export const MIN_SCORE = 0.1;
const ALIKE_FROM = 0.3;
const SURE = 1e-6;
/** The fewer listings there are, the fewer are alike by chance: beyond so many, and below a fifth of them, it is no matter. */
const MANY = 20_000;
const MAX_FEW = Math.log(5);
/** Two that are alike beyond these log odds are no more likely one thing than that: nothing told them apart any better. */
const SUREST = 6;

/** Copies of one ad go by one name: however many they are, they are no more than one that others are like. */
export type NameOf = (id: string) => string;
const ownName: NameOf = (id) => id;

/** For each listing the names of those that it may be one thing with, and the score of that. */
export type Neighbours = ReadonlyMap<string, ReadonlyMap<string, number>>;

const none: ReadonlyMap<string, number> = new Map();

export function neighboursOf(
  pairs: readonly Pick<ScoredPair, 'first' | 'second' | 'score'>[],
  nameOf = ownName,
): Neighbours {
  const neighbours = new Map<string, Map<string, number>>();
  const note = (one: string, other: string, score: number) => {
    const known = neighbours.get(one) ?? new Map<string, number>();
    neighbours.set(one, known.set(nameOf(other), Math.max(score, known.get(nameOf(other)) ?? 0)));
  };
  for (const { first, second, score } of pairs) {
    if (score < MIN_SCORE) continue;
    note(first, second, score);
    note(second, first, score);
  }
  return neighbours;
}

/**
 * The score of a pair after a look at the listings around it. Two that are like the same others are more likely one thing; two
 * that are each like others more than like one another, or like many, less.
 */
export function rescoreInContext(pair: ScoredPair, neighbours: Neighbours, listings: number, nameOf = ownName): number {
  if (pair.score < MIN_SCORE) return 0;
  const values = contextValues(pair, neighbours, listings, nameOf);
  return probability(sumUp(pair.picture === 'unknown' ? ofBare : ofPictured, values));
}

/** What `pictured` and `bare` weigh of a pair. */
export const contextValues = (pair: ScoredPair, neighbours: Neighbours, listings: number, nameOf = ownName) => ({
  ...contextFeatures(pair, neighbours, nameOf),
  few: Math.min(MAX_FEW, Math.max(0, Math.log(MANY / listings))),
  score: Math.min(SUREST, Math.log((pair.score + SURE) / (1 - pair.score + SURE))),
  picture: pair.picture === 'same' ? 1 : 0,
});

const ofPictured = prepare(pictured);
const ofBare = prepare(bare);

function contextFeatures({ first, second, score }: ScoredPair, neighbours: Neighbours, nameOf: NameOf) {
  const [one, other] = [nameOf(first), nameOf(second)];
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
