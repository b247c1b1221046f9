import type { Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import type { Tx } from '../queues/jobs.ts';
import { countPrints, findCandidates, readCopies, readFeatures, readTraits } from './candidates.ts';
import { findContradiction } from './contradict.ts';
import { judgePair, settlePair, type JudgedPair } from './detect.ts';
import type { Link } from './group.ts';
import type { Traits } from './print.ts';
import type { ScoreCap } from './cap-score.ts';
import { reasonsOf, type Reason } from './score.ts';
import { neighboursOf, MIN_SCORE } from './context.ts';
import { keepPairs, readKnown, readPairs, readScores } from './pairs.ts';

/** A link between two listings with what people are shown of it: what speaks for and against it, and what held its score back. */
export type SettledLink = Link & { reasons: Reason[]; by: ScoreCap[] };

/**
 * Compares these listings with their candidates, and again with whatever they were kept in a pair with, and keeps the pairs
 * that may be one thing. A kept pair of which neither has changed since is not compared again. Answers how many pairs were.
 */
export async function judgeCandidates(tx: Tx, listingIds: readonly string[]): Promise<number> {
  const known = await readKnown(tx, listingIds);
  const candidates = new Map((await findCandidates(tx, listingIds)).map((pair) => [pair.join(' '), pair]));
  for (const { first, second, fresh } of known)
    if (fresh) candidates.delete(`${first} ${second}`);
    else candidates.set(`${first} ${second}`, [first, second]);
  const features = await readFeatures(tx, [...new Set([...candidates.values()].flat())]);
  const judged = [...candidates.values()].flatMap(([first, second]): JudgedPair[] => {
    const [a, b] = [features.get(first), features.get(second)];
    if (!a || !b || findContradiction(a.print, b.print)) return [];
    const pair = judgePair(a, b);
    const isOneHull = a.print.serial !== undefined && a.print.serial === b.print.serial;
    return pair.score >= MIN_SCORE || isOneHull ? [pair] : [];
  });
  await keepPairs(tx, known, judged);
  return candidates.size;
}

/** The links from listings to others that are at least so strong. */
export type Settle = (listingIds: readonly string[], threshold: number) => Promise<SettledLink[]>;

/**
 * Tells links once everything around them is judged. What has been read for one question is kept for the next: as long as it
 * is asked, pairs are taken to stay as they are.
 */
export function openLinks(db: Kysely<DB>): Settle {
  const pairs = new Map<string, JudgedPair[]>();
  const byName = new Map<string, JudgedPair>();
  const neighbours = new Map<string, ReadonlyMap<string, number>>();
  const traits = new Map<string, Traits>();
  const copies = new Map<string, string>();
  const nameOf = (id: string) => copies.get(id) ?? id;
  const settled = new Map<JudgedPair, SettledLink | undefined>();
  let listings: number | undefined;
  async function pairsOf(ids: readonly string[]): Promise<JudgedPair[]> {
    const unread = new Map(ids.filter((id) => !pairs.has(id)).map((id) => [id, new Array<JudgedPair>()]));
    if (unread.size > 0)
      for (const read of await readPairs(db, [...unread.keys()])) {
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
    for (const [id, copy] of await readCopies(
      db,
      [...met].filter((id) => !copies.has(id)),
    ))
      copies.set(id, copy);
    const around = neighboursOf(scores, nameOf);
    for (const id of unread) neighbours.set(id, around.get(id) ?? new Map());
    for (const [id, own] of await readTraits(db, unread)) traits.set(id, own);
  }
  return async (listingIds, threshold) => {
    const own = await pairsOf(listingIds);
    if (own.length === 0) return [];
    await lookAround(new Set(own.flatMap(({ first, second }) => [first, second])));
    const among = (listings ??= await countPrints(db));
    return own.flatMap((pair) => {
      if (!settled.has(pair)) settled.set(pair, settle(pair, among));
      const link = settled.get(pair);
      return link && link.score >= threshold ? [link] : [];
    });
  };
  function settle(pair: JudgedPair, among: number): SettledLink | undefined {
    const [a, b] = [traits.get(pair.first), traits.get(pair.second)];
    if (!a || !b) return undefined;
    const { first, second, signals } = pair;
    return { first, second, reasons: reasonsOf(signals), ...settlePair(a, b, pair, neighbours, among, nameOf) };
  }
}
