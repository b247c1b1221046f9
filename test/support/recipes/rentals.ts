import { dayOf } from '../../../shared/kit/clock.ts';
import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { shiftDay } from '../../../shared/rentals/dates.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { secretOf, type Person } from '../openapi-cases-things.ts';
import type { Recipe } from './recipe.ts';

/** The day so many days from now. */
export const dayIn = ({ clock }: Pick<Services, 'clock'>, days: number) => shiftDay(dayOf(clock.now()), days);

/** A rental of that person, open for the next two years; its slug is its id in lower case. */
export async function createRental(
  services: Services,
  { id: owner_id }: Pick<Person, 'id'>,
  status = 'active',
): Promise<{ id: string; slug: string }> {
  const id = newId('rental');
  const slug = `rental-${id.slice(5).toLowerCase()}`;
  const now = services.clock.now();
  await services.db
    .insertInto('rentals')
    .values({
      id,
      slug,
      owner_id,
      title: `Catamaran ${id}`,
      description: `A catamaran with four cabins, ${id}.`,
      boat_type: 'catamaran',
      price_per_day: 100,
      currency: 'EUR',
      country: 'ES',
      city: 'Palma',
      place: ' palma spain',
      available_from: dayIn(services, 0),
      available_to: dayIn(services, 730),
      status,
      created_at: now,
      updated_at: now,
    })
    .execute();
  return { id, slug };
}

/** A booking of that rental for a week, its message marked as secret. */
export async function createBooking(
  services: Services,
  rentalId: string,
  { id: renter_id }: Pick<Person, 'id'>,
  { status = 'requested', from = 10, days = 7 }: { status?: string; from?: number; days?: number } = {},
): Promise<string> {
  const id = newId('booking');
  const now = services.clock.now();
  await services.db
    .insertInto('bookings')
    .values({
      id,
      rental_id: rentalId,
      renter_id,
      date_from: dayIn(services, from),
      date_to: dayIn(services, from + days),
      total_price: 100 * days,
      currency: 'EUR',
      message: secretOf({ id: renter_id }),
      status,
      created_at: now,
      updated_at: now,
    })
    .execute();
  return id;
}

const ofRental: Recipe = async ({ services, owner }) => ({ params: { id: (await createRental(services, owner)).id } });

/** A request of somebody else for the owner's rental. */
const ofRequest: Recipe = async ({ services, owner, other }) => {
  const { id } = await createRental(services, owner);
  return { params: { id, bookingId: await createBooking(services, id, other) } };
};

/** What requests about rentals need. */
export const rentalRecipes: Partial<Record<OperationId, Recipe>> = {
  createRental: (_, example) => ({ body: { ...(example as object), images: [] } }),
  getRental: ofRental,
  getRentalMarkdown: ofRental,
  updateRental: ofRental,
  deleteRental: ofRental,
  getRentalAvailability: async ({ services, owner }) => {
    const { id } = await createRental(services, owner);
    return {
      query: [
        ['id', id],
        ['date_from', dayIn(services, 10)],
        ['date_to', dayIn(services, 17)],
      ],
    };
  },
  listRentalBookings: ofRental,
  createBooking: async ({ services, other }) => ({
    params: { id: (await createRental(services, other)).id },
    body: { date_from: dayIn(services, 10), date_to: dayIn(services, 17), message: 'A week on the water.' },
  }),
  confirmBooking: ofRequest,
  declineBooking: ofRequest,
  cancelBooking: ofRequest,
};
