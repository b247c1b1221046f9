import { isDeepStrictEqual } from 'node:util';
import type { Boat } from '../listings/boat.ts';
import type { StoredImage } from '../listings/card.ts';
import type { MappedListing } from './map-record.ts';
import { columnNames } from './store-columns.ts';
import { truncateAtWord } from './texts.ts';

/** A listing before an update, as stored. */
export type StandingListing = MappedListing & {
  id: string;
  slug: string;
  seller_id: string;
  status: string;
  expires_at: Date;
  boat: Boat | null;
  images: StoredImage[];
};

/** What an update would make of it; images are null when they stay as they are. */
export type NextListing = { columns: MappedListing; boat: Boat | null; images: StoredImage[] | null; status: string };

const places = [
  'country',
  'country_name',
  'region',
  'city',
  'marina',
  'postal_code',
  'lat',
  'lng',
  'shipping',
] as const;
const plain = ['title', 'description', 'category_id', 'type', 'condition', 'language', 'tags'] as const;
const MAX_TOLD_LENGTH = 5_000;

/** The columns of a listing that records decide. */
export function mappedColumnsOf(listing: StandingListing): MappedListing {
  return Object.fromEntries(columnNames.map((name) => [name, listing[name]])) as MappedListing;
}

/**
 * Diffs a listing field by field: the earlier values, named as in the API, for an event's `previous`. Of `location`,
 * `attributes` and `boat` only the parts that differ, of images their number. Empty when nothing differs.
 */
export function diffListing(before: StandingListing, next: NextListing): Record<string, unknown> {
  const { columns, boat, images, status } = next;
  const previous: Record<string, unknown> = {};
  for (const field of plain) if (!isSame(before[field], columns[field])) previous[field] = before[field];
  if (before.price_amount !== columns.price_amount || before.price_currency !== columns.price_currency)
    previous['price'] = { amount: before.price_amount, currency: before.price_currency };
  for (const field of ['price_negotiable', 'price_vat_included', 'price_vat_rate'] as const)
    if (!isSame(before[field], columns[field])) previous[field] = before[field];
  if (before.long_description !== columns.long_description)
    previous['long_description'] = before.long_description && truncateAtWord(before.long_description, MAX_TOLD_LENGTH);
  note(previous, 'location', diffParts(pick(before), pick(columns)));
  note(previous, 'attributes', diffParts(before.attributes, columns.attributes));
  note(previous, 'boat', diffParts(before.boat ?? {}, boat ?? {}));
  if (images !== null && !isSame(before.images, images)) previous['images'] = before.images.length;
  if (before.status !== status) previous['status'] = before.status;
  return previous;
}

/** The new values of the fields in a diff. */
export function diffBack(
  before: StandingListing,
  { columns, boat, images, status }: NextListing,
): Record<string, unknown> {
  const after = { ...before, ...columns, boat, images: images ?? before.images, status };
  const earlier = {
    columns: mappedColumnsOf(before),
    boat: before.boat,
    images: images && before.images,
    status: before.status,
  };
  return diffListing(after, earlier);
}

function pick(place: MappedListing): Record<string, unknown> {
  return Object.fromEntries(places.map((name) => [name, place[name]]));
}

function note(previous: Record<string, unknown>, name: string, parts: Record<string, unknown>): void {
  if (Object.keys(parts).length > 0) previous[name] = parts;
}

/** The parts that differ as they were; null for those that were not there. */
function diffParts(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => !isSame(before[name], after[name]));
  return Object.fromEntries(changed.map((name) => [name, before[name] ?? null]));
}

/** Equal as the database holds them: no value is null, numbers have the precision of their columns. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a === b || Math.fround(a) === Math.fround(b);
  return isDeepStrictEqual(storedForm(a), storedForm(b));
}

const storedForm = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : (value ?? null);
