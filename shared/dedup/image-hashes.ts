/** So many of 64 bits differ at most between copies of one image, and between near copies. */
export const SAME_BITS = 2;
export const NEAR_BITS = 6;

/** The Hamming distance of the two most alike images, in bits of 64; undefined where one side has none. */
export function nearestImages(a: readonly string[], b: readonly string[]): number | undefined {
  let nearest: number | undefined;
  for (const one of a) for (const other of b) nearest = Math.min(nearest ?? 64, hammingDistance(one, other));
  return nearest;
}

/** Those of the first images that are among the second too; near copies of one image count once. */
export function sharedImages(a: readonly string[], b: readonly string[]): string[] {
  const shared: string[] = [];
  for (const one of a)
    if ((nearestImages([one], b) ?? 64) <= SAME_BITS && (nearestImages([one], shared) ?? 64) > NEAR_BITS)
      shared.push(one);
  return shared;
}

function hammingDistance(a: string, b: string): number {
  if (a === b) return 0;
  return bitsIn(half(a, 0) ^ half(b, 0)) + bitsIn(half(a, 8) ^ half(b, 8));
}

const half = (hash: string, at: number) => Number.parseInt(hash.slice(at, at + 8), 16);

function bitsIn(value: number): number {
  let bits = value >>> 0;
  bits -= (bits >>> 1) & 0x55555555;
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
