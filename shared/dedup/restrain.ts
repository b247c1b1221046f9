import type { Signals } from './compare.ts';
import { findContradiction, type Contradiction } from './contradict.ts';
import type { Traits } from './print.ts';

/** From this score on two listings are shown as duplicates. */
export const DETECTED_FROM = 0.6;
/** From this score on they may be merged without anybody looking. */
export const MERGED_FROM = 0.95;

/** What held a score back or decided it, beside what the texts and pictures say. */
export type Restraint =
  | Contradiction
  | 'same_hull_id'
  | 'same_seller'
  | 'other_measure'
  | 'far_apart'
  | 'nothing_unique';

const SURE = 0.99;
const UNDETECTED = 0.5;
const UNMERGED = 0.94;
const FAR_KM = 150;
const COPIED_FROM = 0.8;

/**
 * The score that listings may have at the most. Contradictions leave none. A seller who offers alike things has several of
 * them, unless the number of the hull or, among used things, a picture is the same. And without anything that only one thing
 * in the world has, no score is high enough to merge by itself. Packs of another size are other goods, unless their code is
 * the same.
 */
export function restrain(
  a: Traits,
  b: Traits,
  signals: Partial<Signals>,
  score: number,
): { score: number; by: Restraint[] } {
  const contradiction = findContradiction(a, b);
  if (contradiction) return { score: 0, by: [contradiction] };
  if (a.serial && a.serial === b.serial) return { score: Math.max(SURE, score), by: ['same_hull_id'] };
  const isPictured = signals.picture_same === 1;
  if (a.source !== undefined && a.source === b.source && (isNew(a) || isNew(b) || !isPictured))
    return { score: Math.min(UNDETECTED, score), by: ['same_seller'] };
  if (signals.measure_other === 1 && !signals.code_shared)
    return { score: Math.min(UNDETECTED, score), by: ['other_measure'] };
  if (isPictured) return { score, by: [] };
  if (areFarApart(a, b)) return { score: Math.min(UNDETECTED, score), by: ['far_apart'] };
  if (!isCopied(a, b) && score > UNMERGED) return { score: UNMERGED, by: ['nothing_unique'] };
  return { score, by: [] };
}

const isNew = ({ condition }: Traits) => condition === 'new';

/** Whether the descriptions share most of their runs of words. */
function isCopied({ sketch: one }: Traits, { sketch: other }: Traits): boolean {
  if (one.length === 0 || other.length === 0) return false;
  return one.filter((minimum, index) => minimum === other[index]).length / one.length >= COPIED_FROM;
}

function areFarApart({ place: one }: Traits, { place: other }: Traits): boolean {
  if (one?.country && other?.country && one.country !== other.country) return true;
  const [from, to] = [pointOf(one), pointOf(other)];
  return from !== undefined && to !== undefined && kilometres(from, to) > FAR_KM;
}

const pointOf = (place: Traits['place']) =>
  place?.lat === undefined || place.lng === undefined ? undefined : { lat: place.lat, lng: place.lng };

/** Over these distances the earth is flat enough. */
function kilometres(from: { lat: number; lng: number }, to: { lat: number; lng: number }): number {
  const across = (from.lng - to.lng) * Math.cos((((from.lat + to.lat) / 2) * Math.PI) / 180);
  return 111.2 * Math.hypot(from.lat - to.lat, across);
}
