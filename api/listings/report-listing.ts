import { conflict, notFound } from '../../shared/kit/errors.ts';
import { lockListing } from '../../shared/listings/change.ts';
import type { ReportReason } from '../../shared/notices/subject.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import { reportLockedListing } from '../../shared/reports/file-report.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Services } from '../services.ts';
import type { Listing } from './present.ts';
import { mayRead } from './visibility.ts';

/**
 * Stores the report of a listing by id or slug. What the caller cannot see is 404, but for a listing that others have reported until
 * it was hidden: it takes further reports also where it has disappeared by that. 409 for a draft.
 */
export async function reportListing(
  tx: Tx,
  services: Services,
  idOrSlug: string,
  { caller, reason, text }: { caller: Caller; reason: ReportReason; text?: string | undefined },
) {
  const listing = await lockListing(tx, idOrSlug);
  const isHidden = listing.status !== 'flagged' && !mayRead(listing, caller, services.profile);
  if (isHidden) throw notFound('listing', idOrSlug);
  if (listing.status === 'draft') throw conflict('A draft is seen by nobody else and needs no report.');
  const report = await reportLockedListing(tx, services, listing, { reporterId: caller.userId, reason, text });
  return { ...report, listingId: listing.id, listingStatus: report.listingStatus as Listing['status'] };
}
