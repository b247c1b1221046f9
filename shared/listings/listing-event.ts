import type { EventType, NewEvent } from '../journal/events.ts';

/** The columns of a listing that its events tell of. */
export type EventListing = {
  id: string;
  seller_id: string;
  slug: string;
  title: string;
  status: string;
  category_id: string;
  price_amount: number;
  price_currency: string;
};

/** The names of those columns, for `returning` and `select`. */
export const eventColumns = [
  'id',
  'seller_id',
  'slug',
  'title',
  'status',
  'category_id',
  'price_amount',
  'price_currency',
] as const satisfies (keyof EventListing)[];

/** The event of a change of a listing, as journal and webhooks carry it; `previous` holds what changed as it was before. */
export function listingEvent(
  type: Extract<EventType, `listing.${string}`>,
  listing: EventListing,
  previous?: Record<string, unknown>,
): NewEvent {
  const { id, slug, title, status, category_id, seller_id, price_amount: amount, price_currency: currency } = listing;
  return {
    type,
    subject: id,
    ownerId: seller_id,
    data: { listing_id: id, slug, title, status, category_id, seller_id, price: { amount, currency } },
    previous,
  };
}
