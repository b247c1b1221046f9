import { inTransaction } from '../../db/client.ts';
import { conflict, notFound } from '../../shared/kit/errors.ts';
import { findListing, selectListing } from '../../shared/listings/card.ts';
import { lockListing } from '../../shared/listings/change.ts';
import { approveListing } from '../../shared/listings/decide.ts';
import { moveListing, renewListing } from '../../shared/listings/lifecycle.ts';
import type { EventListing } from '../../shared/listings/listing-event.ts';
import { bringBackListing, takeDownListing } from '../../shared/listings/take-down.ts';
import { moderateRevision, reviseListing, withoutRewrites } from '../../shared/listings/update.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { Effects } from '../effects.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Links } from '../http/links.ts';
import { presentListing, viewOf, type Listing } from '../listings/present.ts';
import { retryRaces } from '../listings/update.ts';
import type { Services } from '../services.ts';

type Asking = { params: { id: string }; caller: Caller; locale: string; links: Links };

/** Changes what is sent of anybody's listing, by the rules that its seller has; nothing of it when any rule is broken. */
export const editAnyListing: AuthenticatedHandler<'editAnyListing'> = async (services, request) => {
  const { params, body } = request;
  return retryRaces(async () => {
    const stored = await findListing(services.pool, params.id, '');
    if (!stored || stored.status === 'deleted') throw notFound('listing', params.id);
    const fields = await withoutRewrites(services.db, params.id, body);
    const judged = await moderateRevision(services, params.id, stored.seller_id, fields);
    return change(services, request, async (tx) => {
      const listing = await lockListing(tx, params.id);
      await reviseListing(tx, services, listing, fields, judged);
      return listing;
    });
  });
};

/** Puts anybody's listing on show, or takes it off it. */
export const setAnyListingStatus: AuthenticatedHandler<'setAnyListingStatus'> = async (services, request) =>
  change(services, request, async (tx) => {
    const listing = await lockListing(tx, request.params.id);
    const { status } = request.body;
    if (status === 'paused') await moveListing(tx, services, listing, 'paused');
    else await putOnShow(tx, services, listing);
    return listing;
  });

/** Deletes anybody's listing softly; with a reason, its seller is told. */
export const deleteAnyListing: AuthenticatedHandler<'deleteAnyListing'> = async (services, request) => {
  const { id } = await inTransaction(services.db, (tx) =>
    takeDownListing(tx, services, request.params.id, request.query.reason),
  );
  return {
    status: 200,
    body: { id, status: 'deleted', message: 'The listing is deleted. It can be restored.' },
    effects: { changed: { listings: [id] } },
  };
};

/** Takes a deletion back. */
export const restoreListing: AuthenticatedHandler<'restoreListing'> = async (services, request) =>
  change(services, request, (tx) => bringBackListing(tx, services, request.params.id));

async function putOnShow(tx: Tx, services: Services, listing: EventListing): Promise<void> {
  const { id, status } = listing;
  if (status === 'draft' || status === 'flagged') await approveListing(tx, services, id);
  else if (status === 'expired') await renewListing(tx, services, listing);
  else if (['active', 'paused', 'sold'].includes(status)) await moveListing(tx, services, listing, 'active');
  else throw conflict(`A listing that is ${status} cannot be put on show.`);
}

/** One change in one transaction, answered with the listing as it is then. */
async function change(
  services: Services,
  request: Asking,
  act: (tx: Tx) => Promise<{ id: string }>,
): Promise<{ status: 200; body: Listing; effects: Effects }> {
  const row = await inTransaction(services.db, async (tx) => selectListing(tx, (await act(tx)).id, request.locale));
  if (!row) throw notFound('listing', request.params.id);
  const body = presentListing(row, viewOf(services, request));
  return { status: 200, body, effects: { changed: { listings: [row.id] } } };
}
