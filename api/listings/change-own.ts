import { inTransaction } from '../../db/client.ts';
import { notFound } from '../../shared/kit/errors.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import { selectListing } from '../../shared/listings/card.ts';
import { lockOwnListing } from '../../shared/listings/change.ts';
import type { EventListing } from '../../shared/listings/listing-event.ts';
import type { Effects } from '../effects.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Links } from '../http/links.ts';
import type { Services } from '../services.ts';
import { presentListing, viewOf, type Listing } from './present.ts';

type OwnRequest = { params: { id: string }; caller: Caller; locale: string; links: Links };

/**
 * Makes one change of the caller's listing, locked meanwhile, in one transaction, and answers the listing as it is then.
 * An unknown or deleted one is 404, somebody else's 403; parallel changes come one after the other.
 */
export async function changeOwnListing(
  services: Services,
  request: OwnRequest,
  change: (tx: Tx, listing: EventListing) => Promise<void>,
): Promise<{ status: 200; body: Listing; effects: Effects }> {
  const { params, caller, locale } = request;
  const row = await inTransaction(services.db, async (tx) => {
    const listing = await lockOwnListing(tx, params.id, caller.userId);
    await change(tx, listing);
    return selectListing(tx, listing.id, locale);
  });
  if (!row) throw notFound('listing', params.id);
  const body = presentListing(row, viewOf(services, request));
  return { status: 200, body, effects: { changed: { listings: [row.id] } } };
}
