import type { Traits, Fingerprint } from './fingerprint.ts';

/** Prices of one object differ by so much at most where they were rounded or converted. */
const PRICE_TOLERANCE = 0.03;
/** Portals print whole units of a currency. */
const PRICE_ROUNDING = 1;
/** Two places closer than this are one town. */
const NEAR_KM = 25;
/** A page that names no condition of a thing this young may well be about new stock. */
const NEARLY_NEW_YEARS = 1;

/** Whether two prices are one; undefined where one is not told, or they are in two currencies. */
export function doPricesAgree({ price: one }: Pick<Traits, 'price'>, { price: other }: Pick<Traits, 'price'>) {
  if (!one?.amount || !other?.amount) return undefined;
  if (one.currency !== undefined && other.currency !== undefined && one.currency !== other.currency) return undefined;
  const apart = Math.abs(one.amount - other.amount);
  return apart <= PRICE_ROUNDING || apart <= PRICE_TOLERANCE * Math.max(one.amount, other.amount);
}

type Place = NonNullable<Traits['place']>;

/** Whether two listings are known to be in one town; an unknown distance is not near. */
export function areNear({ place: one }: Pick<Traits, 'place'>, { place: other }: Pick<Traits, 'place'>): boolean {
  if (!one || !other || (one.country && other.country && one.country !== other.country)) return false;
  const apart = kilometresBetween(one, other);
  if (apart !== undefined) return apart <= NEAR_KM;
  const inOneRegion = !one.region || !other.region || isSameName(one.region, other.region);
  return Boolean(one.city && other.city && isSameName(one.city, other.city) && inOneRegion);
}

const isSameName = (one: string, other: string) => one.localeCompare(other, 'en', { sensitivity: 'base' }) === 0;

/** Over these distances the earth is flat enough. */
function kilometresBetween(from: Place, to: Place): number | undefined {
  if (from.lat === undefined || from.lng === undefined || to.lat === undefined || to.lng === undefined)
    return undefined;
  const across = (from.lng - to.lng) * Math.cos((((from.lat + to.lat) / 2) * Math.PI) / 180);
  return 111.2 * Math.hypot(from.lat - to.lat, across);
}

/** Whether price, year and place are the same; a year that neither states is no other one. */
export const doFactsAgree = (a: Traits, b: Traits) =>
  doPricesAgree(a, b) === true && a.year === b.year && areNear(a, b);

/** Whether names of makers and models are clearly those of two things. */
export function isOtherModel(a: Pick<Traits, 'brand' | 'model'>, b: Pick<Traits, 'brand' | 'model'>): boolean {
  return isOtherName(a.brand, b.brand) || isOtherName(a.model, b.model);
}

/** Neither is part of the other, and they have no word or number in common, in whatever order these are written. */
function isOtherName(one: string | undefined, other: string | undefined): boolean {
  if (!one || !other || one.includes(other) || other.includes(one)) return false;
  const parts = (name: string): string[] => name.match(/\d+|\D+/g) ?? [];
  return !parts(one).some((part) => parts(other).includes(part));
}

/** Whether it is new stock for all that is known: it says so, or says nothing and is of this year or the last one. */
export function mayBeNew({ condition, year, listed_in }: Traits): boolean {
  if (condition !== undefined) return condition === 'new';
  return year === undefined || listed_in === undefined || year >= listed_in - NEARLY_NEW_YEARS;
}

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
