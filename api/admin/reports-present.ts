import type { NoticeRow } from '../../shared/notices/find-notices.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { DescribedSubject } from '../../shared/reports/describe-subjects.ts';
import type { ReportGroup } from '../../shared/reports/find-reported.ts';
import type { DecisionRow, ReportedSubject } from '../../shared/reports/reported-subject.ts';
import type { Result } from '../http/types.ts';
import { presentNotice } from '../reports/present.ts';

type Group = Result<'listReports', 200>['results'][number];
type Reported = Result<'getReportedSubject', 200>;
type AppealEntry = Result<'listAppeals', 200>['results'][number];

/** ReportGroup of openapi.yaml. */
export function presentReportGroup(row: ReportGroup): Group {
  const { decision_id: id, action, decided_by, decided_at } = row;
  return {
    subject: presentThing(row.subject),
    count: row.count,
    reasons: row.reasons,
    first_reported_at: row.first_at?.toISOString() ?? null,
    last_reported_at: row.last_at?.toISOString() ?? null,
    proposed: row.proposed,
    decision:
      id !== null && action !== null && decided_at !== null
        ? {
            id,
            action: action as Reported['decisions'][number]['action'],
            decided_by,
            decided_at: decided_at.toISOString(),
          }
        : null,
  };
}

/** ReportedSubject of openapi.yaml. */
export function presentReported(
  { subject, reports, context, decisions, notices, ownerNotices }: ReportedSubject,
  locale: Locale,
  now: Date,
): Reported {
  return {
    subject: presentThing(subject),
    reports: reports.map((row) => ({
      id: row.id,
      reason: row.reason as Reported['reports'][number]['reason'],
      text: row.description,
      status: row.settled ? 'decided' : 'open',
      reporter: { id: row.reporter_id, name: row.reporter_name, member_since: row.reporter_since.toISOString() },
      created_at: row.created_at.toISOString(),
    })),
    context: context.map(({ id, sender_id, sender_name, content, created_at }) => ({
      id,
      sender: { id: sender_id, name: sender_name },
      content,
      created_at: created_at.toISOString(),
    })),
    decisions: decisions.map(presentDecision),
    notices: notices.map((row) => presentNotice(row, locale, now)),
    owner_notices: ownerNotices,
  };
}

/** AppealEntry of openapi.yaml. */
export function presentAppealEntry(row: NoticeRow, locale: Locale, now: Date): AppealEntry {
  const notice = presentNotice(row, locale, now);
  const { appeal } = notice;
  if (!appeal) throw new Error(`the notice ${row.id} has no appeal`);
  return {
    ...appeal,
    user: { id: row.user_id, name: row.user_name },
    decided_by: row.appeal_decided_by,
    notice,
    notice_decided_by: row.decided_by,
  };
}

const presentDecision = ({ decided_at, action, ...decision }: DecisionRow): Reported['decisions'][number] => ({
  ...decision,
  action: action as Reported['decisions'][number]['action'],
  decided_at: decided_at.toISOString(),
});

const presentThing = ({ owner_id, owner_name, ...thing }: DescribedSubject): Group['subject'] => ({
  ...thing,
  owner: { id: owner_id, name: owner_name },
});
