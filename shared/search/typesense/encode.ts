import { createHash } from 'node:crypto';

/**
 * A key for a text in filters, equal for equal texts alone: Typesense ignores case, accents and symbols. Everything that is
 * filtered byte by byte (ids, codes, values of attributes) stands in the field `keys` so.
 */
export const exactKey = (name: string, value: string) =>
  `k${createHash('sha256').update(`${name}\u0000${value}`).digest('hex').slice(0, 20)}`;

/** Amounts in thousandths, which an integer of 64 bits keeps exactly: a float of Typesense has seven digits. */
export const toMilli = (amount: number) => (amount > 0 ? Math.max(1, Math.round(amount * 1_000)) : 0);

const HALF = 1n << 63n;
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Two integers whose order is that of the ids: texts cannot be compared in filters. */
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
