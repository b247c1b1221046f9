import { dayOf } from '../kit/clock.ts';
import { sql, type SelectQueryBuilder } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { DB } from '../../db/types.gen.ts';
import { MAX_DAYS_LENGTH, shiftDay, type Period } from './dates.ts';
import { placePatterns } from './place.ts';
import { rentalColumns, type RentalRow } from './rental.ts';

export type RentalSort = 'newest' | 'oldest' | 'price_asc' | 'price_desc';

/** The filters of a search for rentals; what is undefined filters nothing. */
export type RentalFilters = {
  free?: Period;
  minPrice?: number;
  maxPrice?: number;
  location?: string;
  boatType?: string;
  country?: string;
};

type Pages = { offset: number; limit: number };
type Found = { rows: RentalRow[]; total: number };

const orders: Record<RentalSort, readonly ['created_at' | 'price_per_day', 'asc' | 'desc']> = {
  newest: ['created_at', 'desc'],
  oldest: ['created_at', 'asc'],
  price_asc: ['price_per_day', 'asc'],
  price_desc: ['price_per_day', 'desc'],
};

/** One page of the active rentals that match every filter, and how many there are on all pages. Days that are over are not free. */
export async function searchRentals(
  db: Database,
  { free, minPrice, maxPrice, location, boatType, country }: RentalFilters,
  { sort, now, ...pages }: Pages & { sort: RentalSort; now: Date },
): Promise<Found> {
  const patterns = location === undefined ? [] : placePatterns(location);
  const isPast = free !== undefined && free.from < dayOf(now);
  if (isPast || (location !== undefined && patterns.length === 0)) return { rows: [], total: 0 };
  let matching = db.selectFrom('rentals').where('status', '=', 'active');
  for (const pattern of patterns) matching = matching.where('place', 'like', pattern);
  if (country !== undefined) matching = matching.where('country', '=', country.toUpperCase());
  if (boatType !== undefined) matching = matching.where(sql<boolean>`lower(boat_type) = lower(${boatType})`);
  if (minPrice !== undefined) matching = matching.where('price_per_day', '>=', minPrice);
  if (maxPrice !== undefined) matching = matching.where('price_per_day', '<=', maxPrice);
  if (free) matching = matching.where(isFree(free));
  return readPage(matching, orders[sort], pages);
}

/** One page of an owner's rentals in some statuses, newest first, and how many there are on all pages. */
export async function findRentalsOfOwner(
  db: Database,
  { ownerId, statuses, ...pages }: Pages & { ownerId: string; statuses: readonly string[] },
): Promise<Found> {
  const matching = db.selectFrom('rentals').where('owner_id', '=', ownerId).where('status', 'in', statuses);
  return readPage(matching, orders.newest, pages);
}

async function readPage(
  matching: SelectQueryBuilder<DB, 'rentals', object>,
  [column, direction]: (typeof orders)[RentalSort],
  { offset, limit }: Pages,
): Promise<Found> {
  const counted = matching.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
  const shown = matching
    .select(rentalColumns)
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
  const [{ total }, rows] = await Promise.all([counted, shown]);
  return { rows: rows as RentalRow[], total };
}

/**
 * In season all the time, and nothing booked in it. What is booked is gathered once, whatever is shown of the rest; no booking
 * is longer than MAX_DAYS_LENGTH, which bounds what is looked at.
 */
const isFree = ({ from, to }: Period) => sql<boolean>`
  available_from <= ${from} and available_to >= ${shiftDay(to, -1)} and id not in (
    select b.rental_id from bookings b where b.status = 'confirmed'
      and b.date_from < ${to} and b.date_to > ${from} and b.date_from > ${shiftDay(from, -MAX_DAYS_LENGTH)})`;
