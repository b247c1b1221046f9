import { z } from 'zod';
import { country, date, limit, page } from './inputs.ts';
import { pageFields, toPageFields } from './present.ts';
import { defineTool, type Tool } from './tool.ts';

const booking = z.object({
  id: z.string(),
  rental_id: z.string(),
  rental_title: z.string(),
  date_from: z.string(),
  date_to: z.string(),
  total_price: z.number(),
  currency: z.string(),
  status: z.string(),
});

type Booked = Omit<z.output<typeof booking>, 'rental_title'> & { rental: { title: string } };
const toBooking = ({ id, rental_id, rental, date_from, date_to, total_price, currency, status }: Booked) => ({
  id,
  rental_id,
  rental_title: rental.title,
  date_from,
  date_to,
  total_price,
  currency,
  status,
});

const renderBooking = (each: z.output<typeof booking>) =>
  `- \`${each.id}\` ${each.rental_title}, ${each.date_from} to ${each.date_to}: ${each.total_price} ${each.currency}, ${each.status}`;

export const bookingTools: Tool[] = [
  defineTool({
    name: 'search_rentals',
    title: 'Search boats to rent',
    description: 'Boats to rent, by time, place and type.',
    input: z.object({
      date_from: date.optional(),
      date_to: date.optional(),
      location: z.string().min(1).max(100).optional().describe('A place or part of its name.'),
      country: country.optional(),
      boat_type: z.string().min(1).max(60).optional(),
      limit,
      page,
    }),
    output: z.object({
      ...pageFields,
      results: z.array(
        z.object({
          id: z.string(),
          title: z.string(),
          price_per_day: z.number(),
          currency: z.string(),
          place: z.string(),
        }),
      ),
    }),
    effect: 'read',
    async run({ perform }, query) {
      const { body } = await perform('listRentals', { query });
      const results = body.results.map(({ id, title, price_per_day, currency, location }) => ({
        id,
        title,
        price_per_day,
        currency,
        place: `${location.city}, ${location.country}`,
      }));
      const lines = results.map(
        ({ id, title, price_per_day, currency, place }) =>
          `- ${title}: ${price_per_day} ${currency} a day, ${place} \`${id}\``,
      );
      return {
        data: { ...toPageFields(body.pagination), results },
        text: lines.join('\n') || 'Nothing is to rent there and then.',
      };
    },
  }),
  defineTool({
    name: 'request_booking',
    title: 'Request a booking',
    description: 'Asks the owner of a rental for a time; date_to is the day it is given back.',
    input: z.object({
      rental_id: z.string().min(1).max(120),
      date_from: date,
      date_to: date,
      message: z.string().min(1).max(2_000).optional(),
    }),
    output: booking,
    scope: 'messages',
    effect: 'write',
    confirm: 'This asks the owner for a booking that costs money once it is accepted.',
    async run({ perform }, { rental_id, ...body }) {
      const answer = await perform('createBooking', { params: { id: rental_id }, body });
      const data = toBooking(answer.body);
      return { data, text: `Requested.\n${renderBooking(data)}` };
    },
  }),
  defineTool({
    name: 'list_bookings',
    title: 'My bookings',
    description: 'The bookings that the account has asked for.',
    input: z.object({ limit, page }),
    output: z.object({ ...pageFields, results: z.array(booking) }),
    scope: 'read',
    effect: 'read',
    async run({ perform }, query) {
      const { body } = await perform('listMyBookings', { query });
      const results = body.results.map(toBooking);
      return {
        data: { ...toPageFields(body.pagination), results },
        text: results.map(renderBooking).join('\n') || 'There are none.',
      };
    },
  }),
];
