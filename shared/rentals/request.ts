import { dayOf } from '../kit/clock.ts';
import type { Clock } from '../kit/clock.ts';
import { conflict, forbidden, invalid } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { assertReachable } from '../conversations/reachable.ts';
import { findConflicts } from './availability.ts';
import { findBooking, type BookingRow } from './booking.ts';
import { mailBooking } from './booking-mail.ts';
import { daysIn, requirePeriod, type Period } from './dates.ts';
import { totalPrice } from './price.ts';
import { lockRental } from './rental.ts';

type Request = { rental: string; renterId: string; period: Period; message: string | null };

/**
 * Asks for a rental, named by id or slug, at its price of now, and mails its owner. Others may ask for the same time; 409 when
 * it is booked already, outside of the season, or the rental is paused. 403 for the owner, and
 * for whom the owner has blocked.
 */
export async function requestBooking(
  tx: Tx,
  { jobs, clock }: { jobs: Pick<Jobs, 'enqueue'>; clock: Clock },
  { rental: idOrSlug, renterId, period, message }: Request,
): Promise<BookingRow> {
  const now = clock.now();
  // Nobody confirms, pauses or changes the season while this looks; other requests need not wait.
  const rental = await lockRental(tx, idOrSlug, { lock: 'keep' });
  if (rental.owner_id === renterId) throw forbidden('Nobody can book what is their own.');
  await assertReachable(tx, { id: renterId }, rental.owner_id);
  requirePeriod(period, '/body');
  if (period.from < dayOf(now))
    throw invalid('The dates are not valid.', [{ path: '/body/date_from', message: 'is over', reason: 'in_the_past' }]);
  if (rental.status !== 'active') throw conflict('This rental is paused and cannot be booked now.');
  const conflicts = await findConflicts(tx, rental, period, now);
  if (conflicts.length > 0) throw conflict('The boat is not free then.', { conflicts, reason: 'not_available' });
  const id = newId('booking');
  await tx
    .insertInto('bookings')
    .values({
      id,
      rental_id: rental.id,
      renter_id: renterId,
      date_from: period.from,
      date_to: period.to,
      total_price: totalPrice(daysIn(period), rental.price_per_day, rental.currency),
      currency: rental.currency,
      message,
      created_at: now,
      updated_at: now,
    })
    .execute();
  await mailBooking(tx, jobs, 'booking-requested', { id, to: rental.owner_id });
  const booking = await findBooking(tx, { rentalId: rental.id, id }, now);
  if (!booking) throw new Error(`the booking ${id} was not stored`);
  return booking;
}
