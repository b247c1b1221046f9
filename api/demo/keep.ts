import type { Demo } from './demo.ts';
import { createDice } from './draw/dice.ts';
import { drawBoat } from './draw/boat.ts';
import { uploadDrawing } from './list-stock.ts';
import type { People } from './people.ts';
import { daysAgo } from './past.ts';
import { addMilliseconds, DAY_MS, dayOf } from '../../shared/kit/clock.ts';

const kept = {
  nautical: [
    ['Sailing boats', { category: 'sailboats', max_price: 60_000 }],
    ['A catamaran', { q: 'catamaran' }],
    ['Pontoon for the lake', { category: 'pontoon-boats' }],
    ['Something with a flybridge', { q: 'flybridge' }],
  ],
  general: [
    ['A road bike', { q: 'road bike', max_price: 500 }],
    ['Phones under 200', { category: 'phones', max_price: 200 }],
    ['Speakers', { q: 'speakers' }],
    ['A car for little money', { category: 'cars', max_price: 3_000 }],
  ],
} as const;

/** Searches that buyers want to hear about. */
export async function saveSearches({ perform, now, services }: Demo, { buyers }: People): Promise<void> {
  for (const [n, [name, query_params]] of kept[services.config.profile].entries())
    await perform(buyers[n], daysAgo(now, 2, 9 + n), 'createSavedSearch', {
      body: { name, query_params, notify: n % 2 === 0 ? 'daily' : 'weekly' },
    });
}

const rentals = [
  ['Sloop for a week on Chesapeake Bay', 'cruising', 'Sailing yacht', 'Annapolis', 'US', 240, 10.4],
  ['Day boat with skipper, Key West', 'center-consoles', 'Center console', 'Key West', 'US', 320, 8.2],
  ['Pontoon for eight on Lake Tahoe', 'pontoon-boats', 'Pontoon', 'South Lake Tahoe', 'US', 190, 7.1],
  ['Houseboat on Lake Powell', 'houseboats', 'Houseboat', 'Page', 'US', 410, 15],
  ['Catamaran in the San Juan Islands', 'sailing-catamarans', 'Catamaran', 'Friday Harbor', 'US', 560, 12.6],
  ['Motor yacht for a party, Miami', 'motor-yachts', 'Motor yacht', 'Miami', 'US', 900, 17],
] as const;

/** Boats for rent with their calendars: asked for, confirmed and declined bookings of the next weeks. */
export async function offerRentals(demo: Demo, { sellers, buyers }: People): Promise<void> {
  const { perform, now } = demo;
  const day = (later: number) => dayOf(addMilliseconds(now, later * DAY_MS));
  for (const [n, [title, category, boatType, city, country, price, length]] of rentals.entries()) {
    const [owner, since] = [sellers[n]!, daysAgo(now, 20 - n, 10)];
    const drawings = [0, 1].map((view) =>
      drawBoat(createDice(`${title} ${view}`), category, createDice(title), length),
    );
    const images = [];
    for (const svg of drawings) images.push(await uploadDrawing(demo, owner, since, svg, `Illustration: ${title}`));
    const { body: rental } = await perform(owner, since, 'createRental', {
      body: {
        title,
        description: `${title}: fuel, life jackets and an hour of handover are included. Bring shoes with light soles. A demonstration: nobody answers at the pier.`,
        boat_type: boatType,
        price_per_day: price,
        currency: 'USD',
        location: { country, city },
        availability: { available_from: day(-10), available_to: day(150) },
        images,
      },
    });
    const of = { params: { id: rental.id } };
    for (let asked = 0; asked < 3; asked += 1) {
      const [from, to] = [day(4 + asked * 9 + n), day(7 + asked * 9 + n)];
      const { body: booking } = await perform(
        buyers[(n + asked) % buyers.length],
        daysAgo(now, 1, 9 + asked),
        'createBooking',
        {
          ...of,
          body: { date_from: from, date_to: to, message: 'We would be four. Is there a grill on board?' },
        },
      );
      const params = { id: rental.id, bookingId: booking.id };
      if (asked === 0) await perform(owner, daysAgo(now, 1, 15), 'confirmBooking', { params });
      if (asked === 1 && n % 2 === 0) await perform(owner, daysAgo(now, 1, 16), 'declineBooking', { params });
    }
  }
}

const doubtful = [
  [
    'Beach house furniture, everything must go',
    'Several pieces, some old, some older. The price is only a number until somebody makes an offer.',
    123_456,
  ],
  [
    'Project for patient hands',
    'Bought in spring, never begun. Make an offer: the price here is a placeholder and says nothing.',
    999_999,
  ],
] as const;

/** What the rules of moderation doubt, for the queue of the administrators. */
export async function listDoubtful({ perform, now, services }: Demo, { sellers }: People): Promise<void> {
  const category_id = services.config.profile === 'nautical' ? 'other-boats' : 'furniture';
  for (const [n, [title, description, amount]] of doubtful.entries()) {
    const known = await services.db.selectFrom('listings').select('id').where('title', '=', title).executeTakeFirst();
    if (known) continue;
    const { body } = await perform(sellers[n + 3], daysAgo(now, 1, 8 + n), 'createListing', {
      body: {
        title,
        description,
        category_id,
        condition: 'fair',
        price: { amount, currency: 'USD', negotiable: true },
        location: { country: 'US', city: 'Portland', shipping: false },
      },
    });
    await perform(sellers[n + 3], daysAgo(now, 1, 10 + n), 'publishListing', { params: { id: body.id } });
  }
}
