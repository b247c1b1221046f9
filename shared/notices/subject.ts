import { isId } from '../kit/ids.ts';

/** The kinds of things that can be reported. */
export const subjectTypes = ['listing', 'user', 'review', 'message'] as const;
export type SubjectType = (typeof subjectTypes)[number];
/** What a report, a decision or a notice is about. */
export type Subject = { type: SubjectType; id: string };

/** Why something is reported, and the rule that a decision names. */
export const reportReasons = ['spam', 'fraud', 'inappropriate', 'duplicate', 'illegal', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

/** The column of `flags` that names what a report is about. */
export const subjectColumns = {
  listing: 'listing_id',
  user: 'user_id',
  review: 'review_id',
  message: 'message_id',
} as const satisfies Record<SubjectType, string>;

/** What an id is the id of, by its prefix; undefined for one of no such kind. */
export function subjectOf(id: string): Subject | undefined {
  const type = subjectTypes.find((each) => isId(each, id));
  return type && { type, id };
}
