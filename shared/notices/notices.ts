import { currentActor } from '../kit/actor.ts';
import { addMilliseconds, DAY_MS, type Clock } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { ReportReason, Subject } from './subject.ts';

export type Restriction =
  | 'listing_hidden'
  | 'listing_removed'
  | 'review_removed'
  | 'message_removed'
  | 'warning'
  | 'account_suspended';
export type Ground = 'law' | 'terms';

/** Why something is restricted, as the person who decides puts it. */
export type Reasons = {
  ground: Ground;
  rule: ReportReason;
  facts: string | null;
  /** Why the facts are against the law or the rule. */
  explanation: string | null;
};

/** A statement of reasons before it is stored. */
export type NewNotice = Reasons & {
  userId: string;
  subject: Subject;
  title: string | null;
  restriction: Restriction;
  until?: Date | null;
  /** The open reports that led to it. */
  reports: number;
  /** A rule of the service has decided, nobody has looked. */
  automated?: boolean;
};

/** A decision can be complained about for six months (Digital Services Act, article 20). */
const APPEAL_MS = 183 * DAY_MS;
export const appealEnd = (createdAt: Date): Date => addMilliseconds(createdAt, APPEAL_MS);

/** Stores the statement of reasons of a restriction (Digital Services Act, article 17); answers its id. */
export async function storeNotice(tx: Tx, clock: Clock, notice: NewNotice): Promise<string> {
  const { userId, subject, title, restriction, until = null, reports, automated = false } = notice;
  const { ground, rule, facts, explanation } = notice;
  const id = newId('notice');
  await tx
    .insertInto('notices')
    .values({
      id,
      user_id: userId,
      subject_type: subject.type,
      subject_id: subject.id,
      subject_title: title,
      restriction,
      until,
      facts,
      reports,
      automated_detection: automated,
      automated_decision: automated,
      ground,
      rule,
      explanation,
      decided_by: automated ? null : (currentActor() ?? null),
      created_at: clock.now(),
    })
    .execute();
  return id;
}

/** Stores a statement of reasons and mails it to whoever is restricted, whatever mail they want. */
export async function issueNotice(
  tx: Tx,
  { jobs, clock }: { jobs: Pick<Jobs, 'enqueue'>; clock: Clock },
  notice: NewNotice,
): Promise<string> {
  const id = await storeNotice(tx, clock, notice);
  await jobs.enqueue(tx, 'send-email', {
    message_id: `content-restricted.${id}`,
    template: 'content-restricted',
    user_id: notice.userId,
    data: { notice_id: id },
  });
  return id;
}

/** Ends what notices about a subject tell of, as far as they are in force: the restriction is lifted, or replaced by another. */
export async function liftNotices(tx: Tx, subjectId: string, now: Date, restrictions: Restriction[]): Promise<void> {
  await tx
    .updateTable('notices')
    .set({ lifted_at: now })
    .where('subject_id', '=', subjectId)
    .where('restriction', 'in', restrictions)
    .where('lifted_at', 'is', null)
    .execute();
}
