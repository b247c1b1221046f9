import { conflict } from '../../shared/kit/errors.ts';
import { moderateRevision, reviseListing, RevisionSuperseded, withoutRewrites } from '../../shared/listings/update.ts';
import { isUniqueViolation } from '../../shared/kit/postgres-errors.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { changeOwnListing } from './change-own.ts';

const TRIES = 5;

/** Changes what is sent of the caller's listing, by the rules of create; nothing of it when any rule is broken. */
export const updateListing: AuthenticatedHandler<'updateListing'> = async (services, request) => {
  const { params, body, caller } = request;
  return retryRaces(async () => {
    const fields = await withoutRewrites(services.db, params.id, body);
    const judged = await moderateRevision(services, params.id, caller.userId, fields);
    return changeOwnListing(services, request, (tx, listing) => reviseListing(tx, services, listing, fields, judged));
  });
};

/**
 * Tries again what another change has got ahead of: one of the text that was judged, or one that gave another listing the
 * same text, which the next try finds and names.
 */
export async function retryRaces<T>(change: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof RevisionSuperseded) && !isUniqueViolation(error, 'listings_one_per_content')) throw error;
    }
  }
  throw conflict('The listing is being changed elsewhere at the same time; try again.');
}
