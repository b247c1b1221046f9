import { areNear, doPricesAgree, findContradiction, type Contradiction } from './agreement.ts';
import type { Signals } from './compare.ts';
import type { Traits } from './fingerprint.ts';
import { isCopied, findProofs, sharesParticulars, type Proof } from './proof.ts';

/** The detection threshold: from this score on two listings are shown as duplicates. */
export const DETECTED_FROM = 0.86;
/** The automatic merge threshold: from this score on they are merged unseen, where a proof exists as well. */
export const MERGED_FROM = 0.95;
/** Up to this score there is no link, whatever threshold is asked for. */
export const NO_LINK = 0.5;

/** The rule that capped or decided a score. */
export type ScoreCap =
  | Contradiction
  | Proof
  | 'new_stock'
  | 'same_seller'
  | 'other_measure'
  | 'far_apart'
  | 'nothing_own'
  | 'nothing_unique';

const SURE = 0.99;
const UNMERGED = 0.94;
/** One shared image may be the maker's; so many rarely are. */
const MIN_TELLING_IMAGES = 2;

/**
 * The score that a pair has at least, where something proves it, and else at most: nothing for contradictions; no link for new
 * stock, for alike things of one seller, for packs of another size, and for things that are not known to be in one town or
 * share neither price, text nor image, unless the text tells particulars of the object or several images are the same. Without
 * a proof no score is high enough to merge by itself.
 */
export function capScore(
  a: Traits,
  b: Traits,
  signals: Partial<Signals>,
  score: number,
): { score: number; by: ScoreCap[] } {
  const contradiction = findContradiction(a, b);
  if (contradiction) return { score: 0, by: [contradiction] };
  const [proof] = findProofs(a, b, signals.images_shared ?? 0);
  if (proof) return { score: Math.max(SURE, score), by: [proof] };
  const cap = findCap(a, b, signals);
  if (cap) return { score: Math.min(NO_LINK, score), by: [cap] };
  return score > UNMERGED ? { score: UNMERGED, by: ['nothing_unique'] } : { score, by: [] };
}

function findCap(a: Traits, b: Traits, signals: Partial<Signals>): ScoreCap | undefined {
  if (a.condition === 'new' || b.condition === 'new') return 'new_stock';
  const isTold = sharesParticulars(a, b) || (signals.images_shared ?? 0) >= MIN_TELLING_IMAGES;
  if (a.source !== undefined && a.source === b.source && !isTold) return 'same_seller';
  if (signals.measure_other === 1 && !signals.code_shared) return 'other_measure';
  // Offers of goods that are nowhere in particular are of one kind, not of one object.
  if (isTold || (!a.place && !b.place)) return undefined;
  if (!areNear(a, b)) return 'far_apart';
  const isOwn = doPricesAgree(a, b) || isCopied(a, b) || (signals.images_shared ?? 0) > 0;
  return isOwn ? undefined : 'nothing_own';
}
