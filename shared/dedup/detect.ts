import type { Signals } from './compare.ts';
import { findContradiction } from './contradict.ts';
import { groupLinks, type Group, type Link } from './group.ts';
import type { Features } from './features.ts';
import { rescoreInContext, neighboursOf, type NameOf, type Neighbours, type ScoredPair } from './context.ts';
import type { Traits } from './print.ts';
import { capScore } from './cap-score.ts';
import { judge } from './score.ts';

/** A pair as judged by the two alone. */
export type JudgedPair = ScoredPair & { signals: Partial<Signals> };

/** The pair's score by the two alone; nothing is said yet about what restrains it. */
export function judgePair(a: Features, b: Features): JudgedPair {
  const { score, signals } = judge(a, b);
  const picture =
    signals.picture_unknown === 1 ? 'unknown' : signals.picture_same + signals.picture_near > 0 ? 'same' : 'other';
  return { first: a.print.id, second: b.print.id, score, picture, signals };
}

/** The pair's final score, from 0 to 1, after a look at the listings around it and at what restrains it. */
export function settlePair(
  a: Traits,
  b: Traits,
  pair: JudgedPair,
  neighbours: Neighbours,
  listings: number,
  nameOf?: NameOf,
) {
  return capScore(a, b, pair.signals, rescoreInContext(pair, neighbours, listings, nameOf));
}

/** The groups among judged pairs of which all are known, and the links that they are closed from. */
export function detectGroups(
  features: ReadonlyMap<string, Features>,
  pairs: readonly JudgedPair[],
  threshold: number,
): { links: Link[]; groups: Group[] } {
  const neighbours = neighboursOf(pairs);
  const scores = new Map<string, number>();
  const links: Link[] = [];
  for (const pair of pairs) {
    const [a, b] = [features.get(pair.first), features.get(pair.second)];
    if (!a || !b) continue;
    const { score } = settlePair(a.print, b.print, pair, neighbours, features.size);
    scores.set(keyOf(pair.first, pair.second), score);
    if (score >= threshold) links.push({ first: pair.first, second: pair.second, score });
  }
  const scoreOf = (one: string, other: string) => scores.get(keyOf(one, other)) ?? 0;
  const areDifferent = (one: string, other: string) => {
    const [a, b] = [features.get(one), features.get(other)];
    return a !== undefined && b !== undefined && isRuledOut(a, b);
  };
  return { links, groups: groupLinks(links, scoreOf, areDifferent) };
}

const keyOf = (one: string, other: string) => (one < other ? `${one} ${other}` : `${other} ${one}`);
const isRuledOut = (a: Features, b: Features) => findContradiction(a.print, b.print) !== undefined;
