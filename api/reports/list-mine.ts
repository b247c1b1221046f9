import { findOwnReports, outcomeOf, type OwnReport } from '../../shared/reports/own-reports.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Result } from '../http/types.ts';

type Report = Result<'listMyReports', 200>['results'][number];

/** What the caller has reported, the newest first, each with what came of it. */
export const listMyReports: AuthenticatedHandler<'listMyReports'> = async ({ db }, { query, caller }) => {
  const { page = 1, limit = 20 } = query;
  const { rows, total } = await findOwnReports(db, { reporterId: caller.userId, offset: (page - 1) * limit, limit });
  return { status: 200, body: { results: rows.map(presentOwnReport), pagination: paginationOf(page, limit, total) } };
};

const presentOwnReport = (row: OwnReport): Report => ({
  id: row.id,
  subject: { type: row.subject_type, id: row.subject_id, title: row.title, slug: row.slug },
  reason: row.reason as Report['reason'],
  text: row.description,
  status: row.settled ? 'decided' : 'open',
  outcome: outcomeOf(row),
  created_at: row.created_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
});
