import { sql } from 'kysely';
import type { Clock } from '../kit/clock.ts';
import { conflict, forbidden, notFound } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { assertReachable } from '../conversations/reachable.ts';
import { findBooking, lapsedBefore, type BookingRow } from './booking.ts';
import { mailBooking, mailBookings } from './booking-mail.ts';
import { periodsOutside } from './dates.ts';
import { lockRental, recordRentalChange, requireRentalOwner, type RentalRow } from './rental.ts';

type Dependencies = { jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>; clock: Clock };
type Move = 'confirmed' | 'declined' | 'cancelled';
type Asked = { rental: string; booking: string; userId: string };

/** The unique constraint that two confirmed bookings of one time break. */
export const NEVER_OVERLAP = 'bookings_never_overlap';

const sources: Record<Move, readonly string[]> = {
  confirmed: ['requested'],
  declined: ['requested'],
  cancelled: ['requested', 'confirmed'],
};

/**
 * Confirms, declines or cancels a booking and mails the other side. The owner answers, either side cancels: anyone else is
 * 403. 409 when the status does not allow it, when the time is no longer offered, when who is to
 * be confirmed is suspended, and, thrown by the constraint
 * NEVER_OVERLAP, when it is booked.
 */
export async function transitionBooking(
  tx: Tx,
  { jobs, clock }: Dependencies,
  { rental: idOrSlug, booking: id, userId }: Asked,
  move: Move,
): Promise<BookingRow> {
  const now = clock.now();
  const rental = await lockRental(tx, idOrSlug, { lock: 'change', deletedToo: true });
  if (move !== 'cancelled') requireRentalOwner(rental, userId);
  const booking = await findBooking(tx, { rentalId: rental.id, id }, now);
  if (!booking) throw notFound('booking', id);
  if (userId !== rental.owner_id && userId !== booking.renter_id)
    throw forbidden('Only the renter and the owner can cancel a booking.');
  if (!sources[move].includes(booking.status)) throw conflict(`A booking that is ${booking.status} cannot be ${move}.`);
  if (move === 'confirmed') requireOffered(rental, booking);
  if (move === 'confirmed') await assertReachable(tx, {}, booking.renter_id);
  await writeStatus(tx, booking, move, now);
  if (move === 'confirmed' || booking.status === 'confirmed') await recordRentalChange(tx, now, rental.id);
  const to = userId === booking.renter_id ? rental.owner_id : booking.renter_id;
  await mailBooking(tx, jobs, `booking-${move}`, { id, to });
  return { ...booking, status: move, updated_at: now };
}

/** The lock on the rental keeps other moves away, but not the job that lets requests lapse. */
async function writeStatus(tx: Tx, { id, status }: BookingRow, move: Move, now: Date): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('bookings')
    .set({ status: move, updated_at: now })
    .where('id', '=', id)
    .where('status', '=', status)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw conflict(`A booking that is lapsed cannot be ${move}.`);
}

function requireOffered(rental: RentalRow, { date_from: from, date_to: to }: BookingRow): void {
  if (rental.status === 'deleted') throw conflict('The rental is deleted.');
  if (periodsOutside({ from, to }, rental.available_from, rental.available_to).length > 0)
    throw conflict('The time is outside of the season of the rental.');
}

/** Declines the requests for a locked rental that still wait, and mails those who have asked. */
export async function declinePendingRequests(tx: Tx, { jobs, clock }: Dependencies, rentalId: string): Promise<void> {
  const now = clock.now();
  const declined = await tx
    .updateTable('bookings')
    .set({ status: 'declined', updated_at: now })
    .where('rental_id', '=', rentalId)
    .where('status', '=', 'requested')
    .where('created_at', '>', lapsedBefore(now))
    .returning(['id', 'renter_id as to'])
    .execute();
  await mailBookings(tx, jobs, 'booking-declined', declined);
}

/** Lets up to `limit` requests lapse that have waited too long, and mails those who have asked; answers how many. */
export async function lapseRequests(tx: Tx, { jobs, clock }: Dependencies, limit: number): Promise<number> {
  const now = clock.now();
  // Rows that are being answered right now are left to the next run, which nobody need wait for.
  const { rows } = await sql<{ id: string; to: string }>`
    update bookings set status = 'lapsed', updated_at = ${now} where id in (
      select id from bookings where status = 'requested' and created_at <= ${lapsedBefore(now)}
      order by created_at limit ${limit} for update skip locked)
    returning id, renter_id as to`.execute(tx);
  await mailBookings(tx, jobs, 'booking-lapsed', rows);
  return rows.length;
}
