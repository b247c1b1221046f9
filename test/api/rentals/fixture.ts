import type { Clock } from '../../../shared/kit/clock.ts';
import type { Client } from '../../support/app.ts';

/** The day on which the tests begin, at noon UTC. */
export const START = '2027-03-01';

/** A clock that stands still until it is moved. */
export function movableClock(): Clock & { move(milliseconds: number): void } {
  let at = Date.parse(`${START}T12:00:00Z`);
  return { now: () => new Date(at), move: (milliseconds) => (at += milliseconds) };
}

let count = 0;

/** The body of a rental that is accepted; its season is the summer of 2027. */
export function rentalBody(fields: Record<string, unknown> = {}): Record<string, unknown> {
  count += 1;
  return {
    title: `Lagoon 42 catamaran, hull ${count}`,
    description: 'Four double cabins, watermaker and solar panels; handed over with full tanks.',
    boat_type: 'catamaran',
    price_per_day: 480,
    currency: 'EUR',
    location: { country: 'ES', city: 'Palma' },
    availability: { available_from: '2027-05-01', available_to: '2027-09-30' },
    ...fields,
  };
}

/** Offers a rental and answers its id. */
export async function offer(owner: Client, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await owner.post('/api/rentals', rentalBody(fields));
  if (status !== 201) throw new Error(`the rental was refused: ${JSON.stringify(body)}`);
  return body.id;
}

/** Asks for that time and answers the id of the booking. */
export async function ask(renter: Client, rentalId: string, date_from: string, date_to: string): Promise<string> {
  const { status, body } = await renter.post(`/api/rentals/${rentalId}/bookings`, { date_from, date_to });
  if (status !== 201) throw new Error(`the request was refused: ${JSON.stringify(body)}`);
  return body.id;
}
