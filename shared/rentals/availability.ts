import { dayOf } from '../kit/clock.ts';
import type { Database } from '../../db/client.ts';
import { later, periodsOutside, type Period } from './dates.ts';
import { readBooked, type RentalRow } from './rental.ts';

type Offered = Pick<RentalRow, 'id' | 'status' | 'available_from' | 'available_to'>;

/**
 * What keeps a rental from being booked for that time, in order: the parts of it that are over or outside of the season, all
 * of it while the rental is paused, and the times that others have booked.
 */
export async function findConflicts(db: Database, rental: Offered, period: Period, now: Date): Promise<Period[]> {
  const notOffered =
    rental.status === 'active'
      ? periodsOutside(period, later(rental.available_from, dayOf(now)), rental.available_to)
      : [period];
  const booked = await readBooked(db, rental.id, period);
  return [...notOffered, ...booked].sort((a, b) => (a.from < b.from ? -1 : 1));
}
