import { inTransaction } from '../../db/client.ts';
import { forbidden, invalid, notFound } from '../../shared/kit/errors.ts';
import { findAppeals } from '../../shared/notices/find-notices.ts';
import { subjectOf } from '../../shared/notices/subject.ts';
import { decideReports } from '../../shared/reports/decide.ts';
import * as appeals from '../../shared/reports/decide-appeal.ts';
import { findReported } from '../../shared/reports/find-reported.ts';
import { readReportedSubject } from '../../shared/reports/reported-subject.ts';
import type { Effects } from '../effects.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { isAdministrator } from '../http/authenticate.ts';
import { paginationOf } from '../http/pagination.ts';
import { presentAppealEntry, presentReportGroup, presentReported } from './reports-present.ts';

/** Whose ratings and listings these are is not known to the caches. */
const publications: Effects = { changed: { listings: 'all', rentals: 'all' } };

/** What is reported, each thing once. */
export const listReports: AuthenticatedHandler<'listReports'> = async ({ db }, { query }) => {
  const { state = 'open', subject_type: type, page = 1, limit = 20 } = query;
  const { rows, total } = await findReported(db, { state, type, offset: (page - 1) * limit, limit });
  return { status: 200, body: { results: rows.map(presentReportGroup), pagination: paginationOf(page, limit, total) } };
};

/** What there is to decide by; 404 for what nobody has reported. */
export const getReportedSubject: AuthenticatedHandler<'getReportedSubject'> = async (services, { params, locale }) => {
  const subject = subjectOf(params.subjectId);
  const reported = subject && (await readReportedSubject(services.db, subject));
  if (!reported) throw notFound('report', params.subjectId);
  return {
    status: 200,
    body: presentReported(reported, locale, services.clock.now()),
    headers: { 'Content-Language': locale },
  };
};

/** Decides about all open reports of a thing. */
export const decideReport: AuthenticatedHandler<'decideReport'> = async (services, { params, body, caller }) => {
  const subject = subjectOf(params.subjectId);
  if (!subject) throw notFound('report', params.subjectId);
  const { action } = body;
  if (action === 'suspend' && !isAdministrator(caller)) throw forbidden('Administrators suspend: propose it to them.');
  const until = body.until == null ? null : new Date(body.until);
  if (until && !(until > services.clock.now()))
    throw invalid('The suspension cannot end then.', [{ path: '/body/until', message: 'must be in the future' }]);
  await inTransaction(services.db, (tx) => decideReports(tx, services, subject, { ...body, until, by: caller.userId }));
  return {
    status: 200,
    body: { subject_id: subject.id, action, status: action === 'propose_suspension' ? 'open' : 'decided' },
    effects: publications,
  };
};

/** Appeals that wait, or that were decided. */
export const listAppeals: AuthenticatedHandler<'listAppeals'> = async ({ db, clock }, { query, locale }) => {
  const { state = 'open', page = 1, limit = 20 } = query;
  const { rows, total } = await findAppeals(db, { isOpen: state === 'open', offset: (page - 1) * limit, limit });
  const results = rows.map((row) => presentAppealEntry(row, locale, clock.now()));
  return {
    status: 200,
    body: { results, pagination: paginationOf(page, limit, total) },
    headers: { 'Content-Language': locale },
  };
};

/** Decides about an appeal. */
export const decideAppeal: AuthenticatedHandler<'decideAppeal'> = async (services, { params, body, caller }) => {
  const { outcome, answer } = body;
  await inTransaction(services.db, (tx) =>
    appeals.decideAppeal(tx, services, params.appealId, { outcome, answer: answer?.trim() || null, by: caller.userId }),
  );
  return { status: 200, body: { id: params.appealId, outcome }, effects: publications };
};
