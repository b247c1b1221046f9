import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { addMilliseconds, HOUR_MS } from '../kit/clock.ts';

/** How long a request waits for its answer. */
export const ANSWER_MS = 48 * HOUR_MS;

/** A booking with the names of what it is about. Days are 'YYYY-MM-DD', `date_to` is the day after the last one. */
export type BookingRow = {
  id: string;
  rental_id: string;
  rental_slug: string;
  rental_title: string;
  owner_id: string;
  renter_id: string;
  renter_name: string;
  date_from: string;
  date_to: string;
  total_price: number;
  currency: string;
  message: string | null;
  status: string;
  created_at: Date;
  updated_at: Date;
};

/** What a page of bookings is about: one rental, or one who has asked. */
type Asked = {
  of: { rentalId: string } | { renterId: string };
  status: string;
  offset: number;
  limit: number;
  now: Date;
};

/** One page of bookings, newest first, and how many there are on all pages. */
export async function findBookings(
  db: Database,
  { of, status, offset, limit, now }: Asked,
): Promise<{ rows: BookingRow[]; total: number }> {
  const scope = 'rentalId' in of ? (['b.rental_id', of.rentalId] as const) : (['b.renter_id', of.renterId] as const);
  let matching = selectBookings(db, now).where(scope[0], '=', scope[1]);
  if (status !== 'all') matching = matching.where(statusAt(now), '=', status);
  const counted = matching
    .clearSelect()
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow();
  const shown = matching.orderBy('b.created_at', 'desc').orderBy('b.id', 'desc').limit(limit).offset(offset).execute();
  const [{ total }, rows] = await Promise.all([counted, shown]);
  return { rows, total };
}

/** One booking of a rental, as it is at that time; undefined when the rental has no such booking. */
export async function findBooking(
  db: Database,
  { rentalId, id }: { rentalId: string; id: string },
  now: Date,
): Promise<BookingRow | undefined> {
  return selectBookings(db, now).where('b.id', '=', id).where('b.rental_id', '=', rentalId).executeTakeFirst();
}

/** A request that was made then or before has lapsed. */
export const lapsedBefore = (now: Date) => addMilliseconds(now, -ANSWER_MS);

/** The status of booking b at that time: a request lapses at its hour, whenever its row is written. */
const statusAt = (now: Date) =>
  sql<string>`case when b.status = 'requested' and b.created_at <= ${lapsedBefore(now)} then 'lapsed' else b.status end`;

const selectBookings = (db: Database, now: Date) =>
  db
    .selectFrom('bookings as b')
    .innerJoin('rentals as r', 'r.id', 'b.rental_id')
    .innerJoin('users as u', 'u.id', 'b.renter_id')
    .select([
      'b.id',
      'b.rental_id',
      'r.slug as rental_slug',
      'r.title as rental_title',
      'r.owner_id',
      'b.renter_id',
      'u.name as renter_name',
      'b.date_from',
      'b.date_to',
      'b.total_price',
      'b.currency',
      'b.message',
      statusAt(now).as('status'),
      'b.created_at',
      'b.updated_at',
    ]);
