import type { Body } from '../../api/http/types.ts';

type NewListing = Body<'createListing'>;

let count = 0;

/** The body of a create that is accepted; no two of them are duplicates. */
export function listingBody(fields: Partial<NewListing> = {}): NewListing {
  count += 1;
  return {
    title: `Bavaria Cruiser 46, hull ${count}`,
    description: `Well kept cruising yacht from first hand, berth number ${count}, sails renewed last spring.`,
    category_id: 'cruising',
    condition: 'good',
    price: { amount: 129_000, currency: 'EUR', negotiable: true },
    location: { country: 'ES', city: 'Palma', shipping: false },
    ...fields,
  };
}

/** A scraped record that is accepted, of another page each time. */
export function ingestBody(fields: Record<string, unknown> = {}): Record<string, unknown> & { url: string } {
  count += 1;
  return {
    url: `https://boats.example.com/listing/${count}`,
    title: `2017 Axopar 28 Cabin, number ${count}`,
    description: 'Mercury Verado 300 with 410 hours, bow thruster, autopilot, full covers. Serviced in March.',
    category_hint: 'Motor boats > Cabin cruisers',
    condition: 'good',
    price: { amount: 98_000, currency: 'EUR' },
    location: { country: 'ES', city: 'Palma' },
    attributes: { brand: 'Axopar', model: '28 Cabin', year: 2017, length: 9.1 },
    ...fields,
  };
}
