import { doFactsAgree, doPricesAgree, isOtherModel, mayBeNew, findContradiction } from './agreement.ts';
import { minhashSimilarity, type Traits } from './fingerprint.ts';
import { areTwoSellers, isSameSeller } from './sellers.ts';

/** What can prove that two listings offer one object. */
export type Proof = 'same_hull_id' | 'same_text' | 'same_images';

/** The least number of common images, all of them the listing's own, that proves one object. */
export const MIN_PROVING_IMAGES = 3;
const COPIED_FROM = 0.8;

/**
 * The proofs that two listings may have of being one object, by what they tell themselves: one serial number; one seller,
 * used goods and a text with particulars of the object; or three images, with price, year and place agreeing.
 * Contradictions and different prices void them. Whether number, text and images are the object's own, other listings tell:
 * see prove.ts.
 */
export function findProofs(a: Traits, b: Traits, sharedImages: number): Proof[] {
  if (findContradiction(a, b) || isOtherModel(a, b) || doPricesAgree(a, b) === false) return [];
  const proofs: Proof[] = [];
  const isNew = mayBeNew(a) || mayBeNew(b);
  const isOneNumber = a.serial !== undefined && a.serial === b.serial;
  if (isOneNumber && !(isNew && areTwoSellers(a.sellers, b.sellers))) proofs.push('same_hull_id');
  if (isNew) return proofs;
  if (isSameSeller(a.sellers, b.sellers) && sharesParticulars(a, b)) proofs.push('same_text');
  if (sharedImages >= MIN_PROVING_IMAGES && doFactsAgree(a, b)) proofs.push('same_images');
  return proofs;
}

/** Whether the descriptions share most of their runs of words, and tell the same particulars of their object. */
export function sharesParticulars(a: Traits, b: Traits): boolean {
  const [one, other] = [a.particulars ?? [], b.particulars ?? []];
  return isCopied(a, b) && one.length > 0 && one.length === other.length && one.every((each) => other.includes(each));
}

/** Whether the descriptions share most of their runs of words. */
export const isCopied = (a: Traits, b: Traits) => minhashSimilarity(a.minhash, b.minhash) >= COPIED_FROM;

/** Whether a third listing is about another object than two that show the same: its number, text or image is no one's own. */
export function isOtherObject(other: Traits, pair: readonly Traits[]): boolean {
  return !pair.some(
    (one) =>
      !findContradiction(other, one) && !isOtherModel(other, one) && !mayBeNew(other) && doFactsAgree(other, one),
  );
}
