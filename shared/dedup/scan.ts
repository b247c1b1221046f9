import type { Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import type { Tx } from '../queues/jobs.ts';
import { findCandidatePairs, readFeatures, readStandings, readTraits } from './candidates.ts';
import { findContradiction } from './agreement.ts';
import { scorePair, finalizePair, type ComparedPair } from './detect.ts';
import type { Link } from './cluster.ts';
import type { Traits } from './fingerprint.ts';
import type { ScoreCap } from './cap-score.ts';
import { reasonsOf, type Reason } from './score.ts';
import { neighboursOf, MIN_SCORE, type Neighbours, type Standing } from './context.ts';
import { replacePairs, readStoredPairs, readComparedPairs, readScores } from './pairs.ts';

/** A link with its explanation: the reasons for and against it, and the rules that capped its score. */
export type ExplainedLink = Link & { reasons: Reason[]; by: ScoreCap[] };

/**
 * Compares these listings with their candidates and with their stored pairs anew, and stores the pairs from MIN_SCORE on.
 * Fresh pairs are not compared again. Answers how many were compared.
 */
export async function compareCandidates(tx: Tx, listingIds: readonly string[]): Promise<number> {
  const known = await readStoredPairs(tx, listingIds);
  const candidates = new Map((await findCandidatePairs(tx, listingIds)).map((pair) => [pair.join(' '), pair]));
  for (const { first, second, fresh } of known)
    if (fresh) candidates.delete(`${first} ${second}`);
    else candidates.set(`${first} ${second}`, [first, second]);
  const features = await readFeatures(tx, [...new Set([...candidates.values()].flat())]);
  const judged = [...candidates.values()].flatMap(([first, second]): ComparedPair[] => {
    const [a, b] = [features.get(first), features.get(second)];
    if (!a || !b || findContradiction(a.print, b.print)) return [];
    const pair = scorePair(a, b);
    const isOneHull = a.print.serial !== undefined && a.print.serial === b.print.serial;
    return pair.score >= MIN_SCORE || isOneHull ? [pair] : [];
  });
  await replacePairs(tx, known, judged);
  return candidates.size;
}

/** Finds the links of these listings from a threshold on. */
export type FindLinks = (listingIds: readonly string[], threshold: number) => Promise<ExplainedLink[]>;

/**
 * Creates a finder of links, which rescores and caps stored pairs. It caches what it has read: as long as it is used,
 * stored pairs are taken not to change.
 */
export function createLinkFinder(db: Kysely<DB>): FindLinks {
  const pairs = new Map<string, ComparedPair[]>();
  const byName = new Map<string, ComparedPair>();
  const neighbours = new Map<string, NonNullable<ReturnType<Neighbours['get']>>>();
  const traits = new Map<string, Traits>();
  const standings = new Map<string, Standing>();
  const standingOf = (id: string) => standings.get(id) ?? { cluster: id };
  const settled = new Map<ComparedPair, ExplainedLink | undefined>();
  async function pairsOf(ids: readonly string[]): Promise<ComparedPair[]> {
    const unread = new Map(ids.filter((id) => !pairs.has(id)).map((id) => [id, new Array<ComparedPair>()]));
    if (unread.size > 0)
      for (const read of await readComparedPairs(db, [...unread.keys()])) {
        const name = `${read.first} ${read.second}`;
        const pair = byName.get(name) ?? read;
        byName.set(name, pair);
        for (const end of [pair.first, pair.second]) unread.get(end)?.push(pair);
      }
    for (const [id, own] of unread) pairs.set(id, own);
    return [...new Set(ids.flatMap((id) => pairs.get(id) ?? []))];
  }
  async function lookAround(ends: ReadonlySet<string>): Promise<void> {
    const unread = [...ends].filter((id) => !neighbours.has(id));
    if (unread.length === 0) return;
    const scores = await readScores(db, unread);
    const met = new Set(scores.flatMap(({ first, second }) => [first, second]));
    const unknown = [...met].filter((id) => !standings.has(id));
    for (const [id, { copy, source }] of await readStandings(db, unknown))
      standings.set(id, { cluster: copy ?? id, source });
    const around = neighboursOf(scores, standingOf);
    for (const id of unread) neighbours.set(id, around.get(id) ?? new Map());
    for (const [id, own] of await readTraits(db, unread)) traits.set(id, own);
  }
  return async (listingIds, threshold) => {
    const own = await pairsOf(listingIds);
    if (own.length === 0) return [];
    await lookAround(new Set(own.flatMap(({ first, second }) => [first, second])));
    return own.flatMap((pair) => {
      if (!settled.has(pair)) settled.set(pair, settle(pair));
      const link = settled.get(pair);
      return link && link.score >= threshold ? [link] : [];
    });
  };
  function settle(pair: ComparedPair): ExplainedLink | undefined {
    const [a, b] = [traits.get(pair.first), traits.get(pair.second)];
    if (!a || !b) return undefined;
    const { first, second, signals } = pair;
    return { first, second, reasons: reasonsOf(signals), ...finalizePair(a, b, pair, neighbours, { standingOf }) };
  }
}
