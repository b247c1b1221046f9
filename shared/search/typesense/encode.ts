import { createHash } from 'node:crypto';

const SIGN = 0x7fff_ffff_ffff_ffffn;
const HALF = 1n << 63n;

/**
 * An order-preserving 64-bit integer for a number: Typesense keeps 32 bits of a float, but all of an integer. Ranges and
 * sorts are exact.
 */
export function encodeSortable(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  // 0 and -0 are one number.
  view.setFloat64(0, value + 0);
  const bits = view.getBigInt64(0);
  return bits < 0n ? bits ^ SIGN : bits;
}

/** The encoding of a missing value: below every number. */
export const MISSING = encodeSortable(Number.NEGATIVE_INFINITY) - 1n;

/** A token for a text in filters, equal for equal texts alone: Typesense ignores case, accents and symbols. */
export const token = (...parts: string[]) =>
  `k${createHash('sha256').update(parts.join('\u0000')).digest('hex').slice(0, 20)}`;

const MAX_GRAM_LENGTH = 3;

/** Tokens of all 1- to 3-grams of a text: a text that contains another has the tokens of its longest n-grams. */
export function ngramsOf(key: string, text: string): string[] {
  const letters = [...text.toLowerCase()];
  const grams = new Set<string>();
  for (let length = 1; length <= MAX_GRAM_LENGTH; length += 1)
    for (let start = 0; start + length <= letters.length; start += 1)
      grams.add(letters.slice(start, start + length).join(''));
  return [...grams].map((gram) => token('part', key, gram));
}

/** The n-gram tokens that every text containing `part` has. */
export function ngramsToFind(key: string, part: string): string[] {
  const letters = [...part.toLowerCase()];
  const length = Math.min(MAX_GRAM_LENGTH, letters.length);
  const grams = new Set<string>();
  for (let start = 0; start + length <= letters.length; start += 1)
    grams.add(letters.slice(start, start + length).join(''));
  return [...grams].map((gram) => token('part', key, gram));
}

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Two integers whose order is that of the ids. */
export function encodeIdOrder(id: string): { high: bigint; low: bigint } {
  let number = 0n;
  for (const letter of id.slice(id.indexOf('_') + 1))
    number = number * 32n + BigInt(Math.max(0, DIGITS.indexOf(letter)));
  return { high: BigInt.asUintN(64, number >> 64n) - HALF, low: BigInt.asUintN(64, number) - HALF };
}

/** JSON with integers of any size. */
export function toJson(document: Record<string, unknown>): string {
  const members = Object.entries(document)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`);
  return `{${members.join(',')}}`;
}
