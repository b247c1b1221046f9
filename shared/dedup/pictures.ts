/** In how many of 64 bits the two most alike pictures differ; undefined where one side has none. */
export function nearestPictures(a: readonly string[], b: readonly string[]): number | undefined {
  let nearest: number | undefined;
  for (const one of a) for (const other of b) nearest = Math.min(nearest ?? 64, differingBits(one, other));
  return nearest;
}

function differingBits(a: string, b: string): number {
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
