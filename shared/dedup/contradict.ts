import type { Print } from './print.ts';

/** What can contradict, of a print. */
export type Facts = Pick<Print, 'serial' | 'type' | 'year' | 'length_m'>;

export type Contradiction = 'hull_id' | 'year' | 'length' | 'type';

/** Lengths differ by so much at most between a builder's figure and a rounded one. */
const LENGTH_TOLERANCE = 0.03;

/** What makes it impossible that two listings are one thing, however alike they read; undefined where nothing does. */
export function findContradiction(a: Facts, b: Facts): Contradiction | undefined {
  if (a.serial && b.serial && a.serial !== b.serial) return 'hull_id';
  if (a.type && b.type && a.type !== b.type) return 'type';
  if (a.year !== undefined && b.year !== undefined && a.year !== b.year) return 'year';
  if (a.length_m && b.length_m && Math.abs(a.length_m / b.length_m - 1) > LENGTH_TOLERANCE) return 'length';
  return undefined;
}
