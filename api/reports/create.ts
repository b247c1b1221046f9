import { inTransaction } from '../../db/client.ts';
import { invalid } from '../../shared/kit/errors.ts';
import { subjectOf } from '../../shared/notices/subject.ts';
import { fileReport } from '../../shared/reports/file-report.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { reportListing } from '../listings/report-listing.ts';

/** Reports a listing, a person, a review or a message to the moderators; once for each caller and thing, 409 after that. */
export const createReport: AuthenticatedHandler<'createReport'> = async (services, { body, caller }) => {
  const { subject_type: type, subject_id: id, reason, text } = body;
  const isListing = type === 'listing';
  if (!isListing && subjectOf(id)?.type !== type)
    throw invalid('There is nothing of that kind to be reported.', [
      { path: '/body/subject_id', message: `must be the id of a ${type}` },
    ]);
  const report = await inTransaction(services.db, async (tx) => {
    if (isListing) {
      const { listingId, ...stored } = await reportListing(tx, services, id, { caller, reason, text });
      return { ...stored, subject_id: listingId };
    }
    const stored = await fileReport(tx, services, { type, id }, { reporterId: caller.userId, reason, text });
    return { ...stored, subject_id: id };
  });
  return {
    status: 202,
    body: {
      id: report.id,
      subject_type: type,
      subject_id: report.subject_id,
      reason,
      status: 'open',
      created_at: report.created_at.toISOString(),
    },
    ...(isListing && { effects: { changed: { listings: [report.subject_id] } } }),
  };
};
