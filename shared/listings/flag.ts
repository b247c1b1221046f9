import { conflict } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Tx } from '../queues/jobs.ts';
import { changeListing } from './change.ts';
import type { EventListing } from './listing-event.ts';

export type FlagReason = 'spam' | 'fraud' | 'inappropriate' | 'duplicate' | 'illegal' | 'other';
type Report = { reporterId: string; reason: FlagReason; description?: string };

/** A report as it was stored. */
export type StoredFlag = { id: string; reason: FlagReason; createdAt: Date };

/**
 * Stores a user's report of a locked listing and flags the listing, with an event the first time. 409 for a second report
 * by the same user.
 */
export async function flagListing(
  tx: Tx,
  services: Parameters<typeof changeListing>[1],
  listing: EventListing,
  { reporterId, reason, description }: Report,
): Promise<StoredFlag> {
  const createdAt = services.clock.now();
  const flag = await tx
    .insertInto('flags')
    .values({
      id: newId('flag'),
      listing_id: listing.id,
      reporter_id: reporterId,
      reason,
      description: description ?? null,
      created_at: createdAt,
    })
    .onConflict((conflicting) => conflicting.columns(['listing_id', 'reporter_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!flag) throw conflict('You have reported this listing already.');
  if (listing.status !== 'flagged')
    await changeListing(tx, services, listing, { event: 'listing.flagged', set: { status: 'flagged' } });
  return { id: flag.id, reason, createdAt };
}
