import type { Database } from '../../db/client.ts';
import { isId } from '../../shared/kit/ids.ts';
import { requireOwner } from '../../shared/listings/change.ts';
import { requireRentalOwner } from '../../shared/rentals/rental.ts';

/** What an operation with `x-owner` changes. */
export type Owned = 'listing' | 'rental';

/**
 * 403 when the thing is somebody else's. Handlers see to that themselves; this is for requests that do not reach them, so
 * that a stranger is not told first what is wrong with a body that is not welcome anyway.
 */
export const refuseStranger: Record<Owned, (db: Database, idOrSlug: string, userId: string) => Promise<void>> = {
  async listing(db, idOrSlug, userId) {
    const listing = await db
      .selectFrom('listings')
      .select('seller_id')
      .where(isId('listing', idOrSlug) ? 'id' : 'slug', '=', idOrSlug)
      .where('status', '<>', 'deleted')
      .executeTakeFirst();
    if (listing) requireOwner(listing, userId);
  },
  async rental(db, idOrSlug, userId) {
    const rental = await db
      .selectFrom('rentals')
      .select('owner_id')
      .where(isId('rental', idOrSlug) ? 'id' : 'slug', '=', idOrSlug)
      .where('status', '<>', 'deleted')
      .executeTakeFirst();
    if (rental) requireRentalOwner(rental, userId);
  },
};
