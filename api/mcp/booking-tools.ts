import { z } from 'zod';
import { country, date, id, limit, page } from './inputs.ts';
import { answerList, listOf } from './present.ts';
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
  `- \`${each.id}\` ${each.rental_title} (\`${each.rental_id}\`), ${each.date_from} to ${each.date_to}: ${each.total_price} ${each.currency}, ${each.status}`;

const rental = z.object({
  id: z.string(),
  title: z.string(),
  price_per_day: z.number(),
  currency: z.string(),
  place: z.string(),
});

type Offered = Omit<z.output<typeof rental>, 'place'> & { location: { city: string; country: string } };
const toRental = ({ id, title, price_per_day, currency, location }: Offered) => ({
  id,
  title,
  price_per_day,
  currency,
  place: `${location.city}, ${location.country}`,
});

const renderRental = ({ id, title, price_per_day, currency, place }: z.output<typeof rental>) =>
  `- ${title}: ${price_per_day} ${currency} a day, ${place} \`${id}\``;

const answers = { confirm: 'confirmBooking', decline: 'declineBooking', cancel: 'cancelBooking' } as const;

export const bookingTools: Tool[] = [
  defineTool({
    name: 'search_rentals',
    title: 'Search boats to rent',
    description: 'Boats to rent, by time, place and type.',
    input: z.object({
      date_from: date.optional(),
      date_to: date.optional(),
      location: z.string().min(1).max(100).optional().describe('Part of the name of a place.'),
      country: country.optional(),
      boat_type: z.string().min(1).max(60).optional(),
      limit,
      page,
    }),
    output: listOf(rental),
    effect: 'read',
    async run({ perform }, query) {
      const { body } = await perform('listRentals', { query });
      const results = body.results.map((each) => toRental(each));
      return answerList(
        body.pagination,
        results,
        results.map(renderRental).join('\n'),
        'Nothing is to rent there and then.',
      );
    },
  }),
  defineTool({
    name: 'check_availability',
    title: 'Is a rental free',
    description: 'Whether a rental is free for a time, and what it costs. Reserves nothing.',
    input: z.object({ rental_id: id, date_from: date, date_to: date }),
    output: z.object({
      available: z.boolean(),
      days: z.number(),
      total_price: z.number(),
      currency: z.string(),
      conflicts: z.array(z.object({ from: z.string(), to: z.string() })),
    }),
    effect: 'read',
    async run({ perform }, { rental_id, ...period }) {
      const { body } = await perform('getRentalAvailability', { query: { id: rental_id, ...period } });
      const { available, days, total_price, currency, conflicts } = body;
      const state = available ? 'Free' : `Taken: ${conflicts.map(({ from, to }) => `${from} to ${to}`).join(', ')}`;
      return {
        data: { available, days, total_price, currency, conflicts },
        text: `${state}. ${days} days cost ${total_price} ${currency}.`,
      };
    },
  }),
  defineTool({
    name: 'request_booking',
    title: 'Request a booking',
    description: 'Asks the owner of a rental for a time; date_to is the day it is given back.',
    input: z.object({
      rental_id: id,
      date_from: date,
      date_to: date,
      message: z.string().min(1).max(2_000).optional(),
    }),
    output: booking,
    scope: 'messages',
    effect: 'write',
    confirm: 'This asks for a booking that costs money once it is accepted.',
    async run({ perform }, { rental_id, ...body }) {
      const answer = await perform('createBooking', { params: { id: rental_id }, body });
      const data = toBooking(answer.body);
      return { data, text: `Requested.\n${renderBooking(data)}` };
    },
  }),
  defineTool({
    name: 'answer_booking',
    title: 'Confirm, decline or cancel a booking',
    description: 'The owner confirms or declines a request; either side cancels. Ids: list_bookings.',
    input: z.object({ rental_id: id, booking_id: id, answer: z.enum(['confirm', 'decline', 'cancel']) }),
    output: booking,
    scope: 'messages',
    effect: 'destroy',
    confirm: 'This binds both sides, or frees the time again, and the other side is told.',
    async run({ perform }, { rental_id, booking_id, answer }) {
      const { body } = await perform(answers[answer], { params: { id: rental_id, bookingId: booking_id } });
      const data = toBooking(body);
      return { data, text: renderBooking(data) };
    },
  }),
  defineTool({
    name: 'list_bookings',
    title: 'Bookings',
    description: 'What the account has asked to book; with rental_id what others ask of an own rental.',
    input: z.object({ rental_id: id.optional(), limit, page }),
    output: listOf(booking),
    scope: 'read',
    effect: 'read',
    async run({ perform }, { rental_id, ...query }) {
      const { body } =
        rental_id === undefined
          ? await perform('listMyBookings', { query })
          : await perform('listRentalBookings', { params: { id: rental_id }, query });
      const results = body.results.map(toBooking);
      return answerList(body.pagination, results, results.map(renderBooking).join('\n'), 'There are none.');
    },
  }),
  defineTool({
    name: 'list_my_rentals',
    title: 'My rentals',
    description: 'What the account offers for rent.',
    input: z.object({ limit, page }),
    output: listOf(rental),
    scope: 'read',
    effect: 'read',
    async run({ perform }, query) {
      const { body } = await perform('listMyRentals', { query });
      const results = body.results.map((each) => toRental(each));
      return answerList(
        body.pagination,
        results,
        results.map(renderRental).join('\n'),
        'The account offers nothing for rent.',
      );
    },
  }),
];
