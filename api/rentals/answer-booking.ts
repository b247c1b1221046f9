import { inTransaction } from '../../db/client.ts';
import { conflict } from '../../shared/kit/errors.ts';
import { isUniqueViolation } from '../../shared/kit/postgres-errors.ts';
import { transitionBooking, NEVER_OVERLAP } from '../../shared/rentals/answer.ts';
import type { Caller } from '../http/authenticate.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import type { Services } from '../services.ts';
import { presentBooking } from './present.ts';

type Answering = { params: { id: string; bookingId: string }; caller: Caller };

/** Books the time of a request for the caller's rental; of requests for the same time, one can be confirmed. */
export const confirmBooking: AuthenticatedHandler<'confirmBooking'> = async (services, request) => {
  try {
    return await move(services, request, 'confirmed');
  } catch (error) {
    if (!isUniqueViolation(error, NEVER_OVERLAP)) throw error;
    throw conflict('Another booking for this time is confirmed already.');
  }
};

/** Turns down a request for the caller's rental. */
export const declineBooking: AuthenticatedHandler<'declineBooking'> = (services, request) =>
  move(services, request, 'declined');

/** Takes back a request or a confirmed booking, by either side of it. */
export const cancelBooking: AuthenticatedHandler<'cancelBooking'> = (services, request) =>
  move(services, request, 'cancelled');

async function move(services: Services, { params, caller }: Answering, to: Parameters<typeof transitionBooking>[3]) {
  const asked = { rental: params.id, booking: params.bookingId, userId: caller.userId };
  const booking = await inTransaction(services.db, (tx) => transitionBooking(tx, services, asked, to));
  return {
    status: 200 as const,
    body: presentBooking(booking),
    effects: { changed: { rentals: [booking.rental_id] } },
  };
}
