import { sql } from 'kysely';
import { addMilliseconds, type Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { changeListing } from './change.ts';
import { LISTING_LIFE_MS } from './create.ts';
import type { EventListing } from './listing-event.ts';
import { restoredStatus } from './restored-status.ts';

type Services = { jobs: Pick<Jobs, 'enqueue'>; clock: Clock };

/** Hides a locked listing until moderation decides about it; one that is hidden stays so. */
export async function hideListing(tx: Tx, services: Services, listing: EventListing): Promise<EventListing> {
  if (listing.status === 'flagged') return listing;
  return changeListing(tx, services, listing, { event: 'listing.flagged', set: { status: 'flagged' } });
}

/** Gives a locked, hidden listing the status back that it had; one that is on the market again has time left. */
export async function unhideListing(tx: Tx, services: Services, listing: EventListing): Promise<EventListing> {
  if (listing.status !== 'flagged') return listing;
  const { rows } = await sql<{ status: string | null }>`
    select previous ->> 'status' as status from events
    where subject = ${listing.id} and type = 'listing.flagged' order by seq desc limit 1`.execute(tx);
  const now = services.clock.now();
  const restored = await restoredStatus(tx, listing, rows[0]?.status ?? 'active');
  const expires_at = sql<Date>`case when expires_at > ${now} then expires_at else ${addMilliseconds(now, LISTING_LIFE_MS)} end`;
  const set = restored.status === 'active' ? { ...restored, expires_at } : restored;
  return changeListing(tx, services, listing, { event: 'listing.updated', set });
}
