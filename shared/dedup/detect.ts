import type { Signals } from './compare.ts';
import { findContradiction } from './agreement.ts';
import { clusterByAverageLinkage, type Group, type Link } from './cluster.ts';
import type { Features } from './features.ts';
import { rescoreInContext, neighboursOf, type Neighbours, type ScoredPair, type StandingOf } from './context.ts';
import type { Traits } from './fingerprint.ts';
import { capScore } from './cap-score.ts';
import { scoreFeatures, shippedModel, type Model } from './score.ts';

/** A pair with its own score and its signals. */
export type ComparedPair = ScoredPair & { signals: Partial<Signals> };

/** Scores a pair by its own features, before context and caps. */
export function scorePair(a: Features, b: Features): ComparedPair {
  const { score, signals } = scoreFeatures(a, b);
  const picture =
    signals.picture_unknown === 1 ? 'unknown' : signals.picture_same + signals.picture_near > 0 ? 'same' : 'other';
  return { first: a.print.id, second: b.print.id, score, picture, signals };
}

/** The pair's final score, 0 to 1: rescored in context, then capped. */
export function finalizePair(
  a: Traits,
  b: Traits,
  pair: ComparedPair,
  neighbours: Neighbours,
  { model = shippedModel, standingOf }: { model?: Model; standingOf?: StandingOf } = {},
) {
  return capScore(a, b, pair.signals, rescoreInContext(pair, neighbours, model, standingOf));
}

/** Detects groups in memory among pairs that are all known; answers them with their links. */
export function detectGroups(
  features: ReadonlyMap<string, Features>,
  pairs: readonly ComparedPair[],
  threshold: number,
  model = shippedModel,
): { links: Link[]; groups: Group[] } {
  const standingOf = (id: string) => ({ cluster: id, source: features.get(id)?.print.source });
  const neighbours = neighboursOf(pairs, standingOf);
  const scores = new Map<string, number>();
  const links: Link[] = [];
  for (const pair of pairs) {
    const [a, b] = [features.get(pair.first), features.get(pair.second)];
    if (!a || !b) continue;
    const { score } = finalizePair(a.print, b.print, pair, neighbours, { model, standingOf });
    scores.set(keyOf(pair.first, pair.second), score);
    if (score >= threshold) links.push({ first: pair.first, second: pair.second, score });
  }
  const scoreOf = (one: string, other: string) => scores.get(keyOf(one, other)) ?? 0;
  const areDifferent = (one: string, other: string) => {
    const [a, b] = [features.get(one), features.get(other)];
    return a !== undefined && b !== undefined && isRuledOut(a, b);
  };
  return { links, groups: clusterByAverageLinkage(links, scoreOf, areDifferent) };
}

const keyOf = (one: string, other: string) => (one < other ? `${one} ${other}` : `${other} ${one}`);
const isRuledOut = (a: Features, b: Features) => findContradiction(a.print, b.print) !== undefined;
