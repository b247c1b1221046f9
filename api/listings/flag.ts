import { inTransaction } from '../../db/client.ts';
import { conflict, notFound } from '../../shared/kit/errors.ts';
import { lockListing } from '../../shared/listings/change.ts';
import * as flags from '../../shared/listings/flag.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { mayRead } from './visibility.ts';

/**
 * Reports a listing: it becomes flagged at once. A user can do so once, 409 after that. What the caller cannot see is 404,
 * but for a listing that others have just flagged: it takes further reports also where it has disappeared by that.
 */
export const flagListing: AuthenticatedHandler<'flagListing'> = async (services, { params, body, caller }) => {
  const { db, profile } = services;
  const { listing, flag } = await inTransaction(db, async (tx) => {
    const listing = await lockListing(tx, params.id);
    const isHidden = listing.status !== 'flagged' && !mayRead(listing, caller, profile);
    if (isHidden) throw notFound('listing', params.id);
    if (listing.status === 'draft') throw conflict('A draft is seen by nobody else and needs no report.');
    const { reason, description } = body;
    return {
      listing,
      flag: await flags.flagListing(tx, services, listing, { reporterId: caller.userId, reason, description }),
    };
  });
  return {
    status: 201,
    body: {
      flag_id: flag.id,
      listing_id: listing.id,
      listing_status: 'flagged',
      reason: flag.reason,
      created_at: flag.createdAt.toISOString(),
    },
    effects: { changed: { listings: [listing.id] } },
  };
};
