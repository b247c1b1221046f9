import {
  topCandidates,
  addBlock,
  pairCandidates,
  type CandidateWeights,
  blockingKeysOf,
} from '../../shared/dedup/blocking.ts';
import { findContradiction } from '../../shared/dedup/agreement.ts';
import { detectGroups, scorePair, type ComparedPair } from '../../shared/dedup/detect.ts';
import type { Group, Link } from '../../shared/dedup/cluster.ts';
import { featuresOf, createWordWeights, distinctWords, type Features } from '../../shared/dedup/features.ts';
import { makeFingerprint, type Fingerprint, type Subject } from '../../shared/dedup/fingerprint.ts';
import { DETECTED_FROM } from '../../shared/dedup/cap-score.ts';
import { scoreSignals, shippedModel } from '../../shared/dedup/score.ts';

/** Candidates, as positions, with what is compared of them. */
export type Compared = {
  features: Features[];
  candidates: [number, number][];
  pairs: ComparedPair[];
  /** For blocking, and for comparing. */
  seconds: { blocking: number; comparing: number };
};

export type Found = { links: Link[]; groups: Group[]; candidates: [number, number][]; seconds: number };

/** Blocks, compares and groups as the service does, in memory. */
export function findDuplicates(subjects: readonly Subject[], across = false): Found {
  const startedAt = performance.now();
  const compared = compareAll(subjects, across);
  return { ...compared, ...groupAll(compared), seconds: (performance.now() - startedAt) / 1_000 };
}

export function compareAll(subjects: readonly Subject[], across: boolean): Compared {
  const startedAt = performance.now();
  const prints = subjects.map(makeFingerprint);
  const features = featuresOfAll(prints);
  const candidates = findCandidates(prints, (one, other) => !across || one.source !== other.source);
  const blockedAt = performance.now();
  const pairs = candidates.flatMap(([one, other]) => {
    const [a, b] = [features[one], features[other]];
    return a && b ? [scorePair(a, b)] : [];
  });
  const seconds = { blocking: (blockedAt - startedAt) / 1_000, comparing: (performance.now() - blockedAt) / 1_000 };
  return { features, candidates, pairs, seconds };
}

/** Links and groups by a model, at the threshold that is shipped if no other is given. */
export function groupAll(
  { features, pairs }: Compared,
  model = shippedModel,
  threshold = DETECTED_FROM,
): { links: Link[]; groups: Group[] } {
  const scored = pairs.map((pair) => ({ ...pair, score: scoreSignals(pair.signals, model) }));
  return detectGroups(new Map(features.map((look) => [look.print.id, look])), scored, threshold, model);
}

/** Prints made ready to be compared among themselves. */
function featuresOfAll(prints: readonly Fingerprint[]): Features[] {
  const uses = countUses(prints.map(distinctWords));
  const imageUses = countUses(prints.map(({ images = [] }) => [...new Set(images)]));
  const countImage = (hash: string) => imageUses.get(hash) ?? 0;
  const weigh = createWordWeights(prints.length, (word) => uses.get(word) ?? 0);
  const weighImage = createWordWeights(prints.length, countImage);
  return prints.map((print) => featuresOf(print, weigh, weighImage, countImage));
}

function countUses(all: readonly (readonly string[])[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const each of all.flat()) uses.set(each, (uses.get(each) ?? 0) + 1);
  return uses;
}

/** The pairs of positions in `prints` that are worth a comparison, as the service picks them from its index of keys. */
function findCandidates(
  prints: readonly Fingerprint[],
  mayMeet: (one: Fingerprint, other: Fingerprint) => boolean,
): [number, number][] {
  const holds = (test: (one: Fingerprint, other: Fingerprint) => boolean) => (one: number, other: number) => {
    const [a, b] = [prints[one], prints[other]];
    return a !== undefined && b !== undefined && test(a, b);
  };
  return meetBy(
    prints.map(blockingKeysOf),
    holds(mayMeet),
    holds((a, b) => findContradiction(a, b) === undefined),
  );
}

/** The same for positions in `keys`. */
export function meetBy(
  keys: readonly (readonly string[])[],
  mayMeet: (one: number, other: number) => boolean = () => true,
  mayPair: (one: number, other: number) => boolean = () => true,
): [number, number][] {
  const holders = new Map<string, number[]>();
  for (const [at, own] of keys.entries())
    for (const key of own) {
      const known = holders.get(key);
      if (known) known.push(at);
      else holders.set(key, [at]);
    }
  const met: CandidateWeights<number> = new Map();
  for (const each of holders.values()) addBlock(met, each, each);
  const best = met.entries().map(([one, others]): [number, number[]] => {
    return [one, topCandidates(new Map(others.entries().filter(([other]) => mayMeet(one, other))))];
  });
  return pairCandidates(new Map(best), mayPair);
}
