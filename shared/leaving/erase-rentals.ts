import { dayOf } from '../kit/clock.ts';
import { mailBookings } from '../rentals/booking-mail.ts';
import { recordRentalChange, rentalColumns, type RentalRow } from '../rentals/rental.ts';
import { removeRental } from '../rentals/store.ts';
import type { Erased, EraseStep } from './erase-step.ts';

const BATCH = 20;
/** What is shown of a rental whose owner has left. */
const DELETED_RENTAL = 'Deleted rental';

/**
 * Takes the rentals of the account away. Bookings that are to come are ended, and those who have booked are told; a rental that
 * others have booked stays as a row without a text, all others are deleted.
 */
export async function eraseRentals({ tx, services, userId, after, now }: EraseStep): Promise<Erased> {
  const rows = await tx
    .selectFrom('rentals')
    .select(rentalColumns)
    .where('owner_id', '=', userId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .forUpdate()
    .execute();
  for (const rental of rows as RentalRow[]) {
    await removeRental(tx, { ...services, config: { staticUrl: '' } }, rental);
    const cancelled = await tx
      .updateTable('bookings')
      .set({ status: 'cancelled', updated_at: now })
      .where('rental_id', '=', rental.id)
      .where('status', '=', 'confirmed')
      .where('date_to', '>', dayOf(now))
      .returning(['id', 'renter_id as to'])
      .execute();
    await mailBookings(tx, services.jobs, 'booking-cancelled', cancelled);
    await tx.deleteFrom('tracked_events').where('listing_id', '=', rental.id).execute();
    const booked = await tx
      .selectFrom('bookings')
      .select('id')
      .where('rental_id', '=', rental.id)
      .limit(1)
      .executeTakeFirst();
    if (booked)
      await tx
        .updateTable('rentals')
        .set({ slug: rental.id, title: DELETED_RENTAL, description: '', city: '', region: null, place: '' })
        .where('id', '=', rental.id)
        .execute();
    else await tx.deleteFrom('rentals').where('id', '=', rental.id).execute();
  }
  return { erased: rows.length, next: rows.at(-1)?.id };
}

/** Cancels what the account has booked and is still to come, and tells the owners; what was written with a booking is erased. */
export async function eraseBookings({ tx, services, userId, now }: EraseStep): Promise<Erased> {
  const cancelled = await tx
    .updateTable('bookings as b')
    .from('rentals as r')
    .set({ status: 'cancelled', updated_at: now })
    .whereRef('r.id', '=', 'b.rental_id')
    .where('b.renter_id', '=', userId)
    .where((is) => is.or([is('b.status', '=', 'requested'), is('b.status', '=', 'confirmed')]))
    .where('b.date_to', '>', dayOf(now))
    .returning(['b.id', 'r.owner_id as to', 'b.rental_id'])
    .execute();
  await mailBookings(tx, services.jobs, 'booking-cancelled', cancelled);
  for (const rental of new Set(cancelled.map(({ rental_id }) => rental_id))) await recordRentalChange(tx, now, rental);
  const emptied = await tx
    .updateTable('bookings')
    .set({ message: null })
    .where('renter_id', '=', userId)
    .where('message', 'is not', null)
    .executeTakeFirst();
  return { erased: Number(emptied.numUpdatedRows) };
}
