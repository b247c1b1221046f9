import { inTransaction } from '../../db/client.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { reportListing } from './report-listing.ts';

/** Reports a listing, once for each user: 409 after that. */
export const flagListing: AuthenticatedHandler<'flagListing'> = async (services, { params, body, caller }) => {
  const { reason, description: text } = body;
  const report = await inTransaction(services.db, (tx) =>
    reportListing(tx, services, params.id, { caller, reason, text }),
  );
  return {
    status: 201,
    body: {
      flag_id: report.id,
      listing_id: report.listingId,
      listing_status: report.listingStatus,
      reason: report.reason,
      created_at: report.created_at.toISOString(),
    },
    effects: { changed: { listings: [report.listingId] } },
  };
};
