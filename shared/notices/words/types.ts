import type { Ground, Restriction } from '../notices.ts';
import type { ReportReason, SubjectType } from '../subject.ts';

/** The sentences of a statement of reasons in one language; `{title}`, `{subject}`, `{date}` and `{rule}` stand for values. */
export type StatementWords = {
  restrictions: Record<Restriction, string>;
  subjects: Record<SubjectType, string>;
  grounds: Record<Ground, string>;
  rules: Record<ReportReason, string>;
  until: string;
  open: string;
  nothing: string;
  reported: string;
  checked: string;
  onReports: string;
  onChecks: string;
  automated: string;
  suspected: string;
  automatedBySigns: string;
  manual: string;
  appeal: string;
  appealByMail: string;
};
