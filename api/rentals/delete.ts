import { inTransaction } from '../../db/client.ts';
import { lockRental, requireRentalOwner } from '../../shared/rentals/rental.ts';
import { removeRental } from '../../shared/rentals/store.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Takes the caller's rental away; bookings that are confirmed stand. A second call is 404. */
export const deleteRental: AuthenticatedHandler<'deleteRental'> = async (services, { params, caller }) => {
  const id = await inTransaction(services.db, async (tx) => {
    const rental = await lockRental(tx, params.id, { lock: 'change' });
    requireRentalOwner(rental, caller.userId);
    await removeRental(tx, services, rental);
    return rental.id;
  });
  return { status: 200, body: { deleted: true, id }, effects: { changed: { rentals: [id] } } };
};
