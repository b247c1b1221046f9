import { inTransaction } from '../../db/client.ts';
import { notFound } from '../../shared/kit/errors.ts';
import { findBookings } from '../../shared/rentals/booking.ts';
import { findRental, requireRentalOwner } from '../../shared/rentals/rental.ts';
import { requestBooking } from '../../shared/rentals/request.ts';
import type { Request } from '../http/types.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import type { Services } from '../services.ts';
import { paginationOf } from '../http/pagination.ts';
import { presentBooking } from './present.ts';

/** Asks for a rental on behalf of the caller, and mails its owner. */
export const createBooking: AuthenticatedHandler<'createBooking'> = async (services, { params, body, caller }) => {
  const asked = {
    rental: params.id,
    renterId: caller.userId,
    period: { from: body.date_from, to: body.date_to },
    message: body.message ?? null,
  };
  const booking = await inTransaction(services.db, (tx) => requestBooking(tx, services, asked));
  return { status: 201, body: presentBooking(booking), effects: { changed: { rentals: [booking.rental_id] } } };
};

/** One page of the bookings of the caller's rental, which may be deleted; somebody else's is 403. */
export const listRentalBookings: AuthenticatedHandler<'listRentalBookings'> = async (services, request) => {
  const { params, caller } = request;
  const rental = await findRental(services.db, params.id);
  if (!rental) throw notFound('rental', params.id);
  requireRentalOwner(rental, caller.userId);
  return answerPage(services, request, { rentalId: rental.id });
};

/** One page of what the caller has asked to book. */
export const listMyBookings: AuthenticatedHandler<'listMyBookings'> = (services, request) =>
  answerPage(services, request, { renterId: request.caller.userId });

async function answerPage(
  { db, clock }: Services,
  { query }: Request<'listRentalBookings'> | Request<'listMyBookings'>,
  of: { rentalId: string } | { renterId: string },
) {
  const { status = 'all', page = 1, limit = 20 } = query;
  const asked = { of, status, offset: (page - 1) * limit, limit, now: clock.now() };
  const { rows, total } = await findBookings(db, asked);
  const pagination = paginationOf(page, limit, total);
  return { status: 200 as const, body: { results: rows.map(presentBooking), pagination } };
}
