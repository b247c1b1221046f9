import { reportReasons, type ReportReason } from '../notices/subject.ts';

/** The reason that most of the reports name, the first of the list where several do as often; `other` without any. */
export function mostFrequent(reports: readonly { reason: string }[]): ReportReason {
  const counts = reportReasons.map((each) => [each, reports.filter(({ reason }) => reason === each).length] as const);
  const most = Math.max(...counts.map(([, count]) => count));
  return most === 0 ? 'other' : counts.find(([, count]) => count === most)![0];
}
