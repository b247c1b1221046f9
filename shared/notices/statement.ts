import type { Locale } from '../profiles/profile.ts';
import { appealEnd, type Ground, type Restriction } from './notices.ts';
import { statementWords } from './words/words.ts';
import type { ReportReason, SubjectType } from './subject.ts';

/** What a statement of reasons is worded from. */
export type StatedNotice = {
  subject_type: string;
  subject_title: string | null;
  restriction: string;
  until: Date | null;
  facts: string | null;
  reports: number;
  automated_decision: boolean;
  ground: string;
  rule: string;
  explanation: string | null;
  created_at: Date;
};

/** A statement of reasons in sentences; facts and explanation may be a moderator's own words. */
export type Statement = {
  restriction: string;
  duration: string;
  facts: string;
  basis: string;
  automation: string;
  ground: string;
  explanation: string | null;
  redress: string;
};

/** Words a stored statement of reasons, with all that article 17 of the Digital Services Act asks for. */
export function wordStatement(notice: StatedNotice, locale: Locale): Statement {
  const words = statementWords[locale];
  const { restriction, until, automated_decision: isAutomated, explanation, created_at } = notice;
  const day = (at: Date) => at.toLocaleDateString(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const fill = (text: string, values: Record<string, string>) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  const title = notice.subject_title ?? '';
  const subject = fill(words.subjects[notice.subject_type as SubjectType], { title });
  const automated =
    notice.reports > 0
      ? { facts: words.reported, how: words.automated }
      : { facts: words.suspected, how: words.automatedBySigns };
  const isWarning = restriction === 'warning';
  const redress = restriction === 'account_suspended' ? words.appealByMail : words.appeal;
  return {
    restriction: fill(words.restrictions[restriction as Restriction], { title, subject }),
    duration: isWarning ? words.nothing : until ? fill(words.until, { date: day(until) }) : words.open,
    facts: notice.facts ?? (isAutomated ? automated.facts : words.checked),
    basis: notice.reports > 0 ? words.onReports : words.onChecks,
    automation: isAutomated ? automated.how : words.manual,
    ground: fill(words.grounds[notice.ground as Ground], { rule: words.rules[notice.rule as ReportReason] }),
    explanation,
    redress: fill(redress, { date: day(appealEnd(created_at)) }),
  };
}
