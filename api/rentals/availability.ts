import { findConflicts } from '../../shared/rentals/availability.ts';
import { daysIn, requirePeriod } from '../../shared/rentals/dates.ts';
import { totalPrice } from '../../shared/rentals/price.ts';
import { readRental } from '../../shared/rentals/rental.ts';
import type { Handler } from '../handler.ts';

/** Whether a rental can be booked for that time, what is in the way, and what it costs. It reserves nothing. */
export const getRentalAvailability: Handler<'getRentalAvailability'> = async ({ db, clock }, { query }) => {
  const { id, date_from, date_to } = query;
  const period = { from: date_from, to: date_to };
  requirePeriod(period, '/query');
  const rental = await readRental(db, id);
  const conflicts = await findConflicts(db, rental, period, clock.now());
  const days = daysIn(period);
  return {
    status: 200,
    body: {
      id: rental.id,
      date_from,
      date_to,
      available: conflicts.length === 0,
      days,
      conflicts,
      total_price: totalPrice(days, rental.price_per_day, rental.currency),
      currency: rental.currency,
    },
  };
};
