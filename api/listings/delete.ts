import { inTransaction } from '../../db/client.ts';
import { lockOwnListing } from '../../shared/listings/change.ts';
import { removeListing } from '../../shared/listings/lifecycle.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Deletes the caller's listing, in whatever status, softly or for good as the profile says. A second call is 404. */
export const deleteListing: AuthenticatedHandler<'deleteListing'> = async (services, request) => {
  const { params, caller } = request;
  const id = await inTransaction(services.db, async (tx) => {
    const listing = await lockOwnListing(tx, params.id, caller.userId);
    await removeListing(tx, services, listing);
    return listing.id;
  });
  return { status: 200, body: { deleted: true, id }, effects: { changed: { listings: [id] } } };
};
