import type { Fingerprint } from './fingerprint.ts';

/** The facts of a fingerprint that can contradict. */
export type Facts = Pick<Fingerprint, 'serial' | 'type' | 'year' | 'length_m'>;

export type Contradiction = 'hull_id' | 'year' | 'length' | 'type';

/** Lengths differ by so much at most between a builder's figure and a rounded one. */
const LENGTH_TOLERANCE = 0.03;

/** The hard constraint that two listings violate, however alike they read; undefined for none. */
export function findContradiction(a: Facts, b: Facts): Contradiction | undefined {
  if (a.serial && b.serial && a.serial !== b.serial) return 'hull_id';
  if (a.type && b.type && a.type !== b.type) return 'type';
  if (a.year !== undefined && b.year !== undefined && a.year !== b.year) return 'year';
  if (a.length_m && b.length_m && Math.abs(a.length_m / b.length_m - 1) > LENGTH_TOLERANCE) return 'length';
  return undefined;
}
