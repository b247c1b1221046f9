import { sql, type UpdateObject } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { DB } from '../../db/types.gen.ts';
import type { Clock } from '../kit/clock.ts';
import { forbidden, notFound } from '../kit/errors.ts';
import { recordEvents } from '../journal/events.ts';
import { isId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { eventColumns, listingEvent, type EventListing } from './listing-event.ts';

type Changer = { jobs: Pick<Jobs, 'enqueue'>; clock: Clock };
type Change = {
  event: Parameters<typeof listingEvent>[0];
  set: UpdateObject<DB, 'listings'>;
  /** The service has decided this by itself, and its event says so. */
  automated?: true;
};

/**
 * Locks a listing by id or slug (`for update`) until the transaction ends, so that parallel changes are serialised and each
 * sees the one before. 404 for a deleted or unknown one.
 */
export async function lockListing(tx: Tx, idOrSlug: string): Promise<EventListing> {
  const listing = await tx
    .selectFrom('listings')
    .select(eventColumns)
    .where(isId('listing', idOrSlug) ? 'id' : 'slug', '=', idOrSlug)
    .where('status', '<>', 'deleted')
    .forUpdate()
    .executeTakeFirst();
  if (!listing) throw notFound('listing', idOrSlug);
  return listing;
}

/** As lockListing; 403 unless the listing is this user's. */
export async function lockOwnListing(tx: Tx, idOrSlug: string, userId: string): Promise<EventListing> {
  const listing = await lockListing(tx, idOrSlug);
  requireOwner(listing, userId);
  return listing;
}

/** 403 when the listing of that id or slug is not this user's; nothing when there is none. */
export async function assertListingOwner(db: Database, idOrSlug: string, userId: string): Promise<void> {
  const listing = await db
    .selectFrom('listings')
    .select('seller_id')
    .where(isId('listing', idOrSlug) ? 'id' : 'slug', '=', idOrSlug)
    .where('status', '<>', 'deleted')
    .executeTakeFirst();
  if (listing) requireOwner(listing, userId);
}

/** 403 unless the listing is this user's. */
export function requireOwner(listing: { seller_id: string }, userId: string): void {
  if (listing.seller_id !== userId) throw forbidden('Only the owner can do this with a listing.');
}

/**
 * Changes a locked listing with its event and its index job, in the caller's transaction. The event's `previous` holds those
 * of its facts that changed, under the names they have in its data, and whatever `previous` adds. Answers the listing as it
 * is now.
 */
export async function changeListing(
  tx: Tx,
  { jobs, clock }: Changer,
  listing: EventListing,
  { event, set, automated }: Change,
  previous: Record<string, unknown> = {},
): Promise<EventListing> {
  const now = clock.now();
  const changed = await tx
    .updateTable('listings')
    .set({ ...set, updated_at: now, version: sql`version + 1` })
    .where('id', '=', listing.id)
    .returning(eventColumns)
    .executeTakeFirstOrThrow();
  const told = listingEvent(event, changed, { ...whatChanged(listing, changed), ...previous });
  const data = automated ? { ...told.data, automated } : told.data;
  await recordEvents(tx, now, [{ ...told, data, fields: Object.keys(set) }]);
  await jobs.enqueue(tx, 'index-listing', { listing_ids: [listing.id] });
  return changed;
}

function whatChanged(before: EventListing, after: EventListing): Record<string, unknown> {
  const facts = (['title', 'status', 'category_id'] as const).filter((fact) => after[fact] !== before[fact]);
  const { price_amount: amount, price_currency: currency } = before;
  const hasNewPrice = after.price_amount !== amount || after.price_currency !== currency;
  return {
    ...Object.fromEntries(facts.map((fact) => [fact, before[fact]])),
    ...(hasNewPrice && { price: { amount, currency } }),
  };
}
