import type { Clock } from '../kit/clock.ts';
import { conflict, notFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { appealEnd } from '../notices/notices.ts';
import type { Tx } from '../queues/jobs.ts';

/** An appeal as it was stored. */
export type StoredAppeal = { id: string; notice_id: string; created_at: Date };

/**
 * Stores somebody's appeal against a restriction that they were told of; of several at the same time the first. 404 for a notice that
 * is not theirs, 409 when the restriction is over, when its time for appeals is, and for a suspension, which is appealed by mail.
 */
export async function appealNotice(
  tx: Tx,
  { clock }: { clock: Clock },
  { noticeId, userId, text }: { noticeId: string; userId: string; text: string },
): Promise<StoredAppeal> {
  const now = clock.now();
  const notice = await tx
    .selectFrom('notices')
    .select(['restriction', 'created_at', 'lifted_at'])
    .where('id', '=', noticeId)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
  if (!notice) throw notFound('notice', noticeId);
  if (notice.lifted_at) throw conflict('What the notice tells of is over.', { reason: 'appeal_over' });
  if (notice.restriction === 'account_suspended')
    throw conflict('A suspension is appealed by answering the mail about it.');
  if (now > appealEnd(notice.created_at)) throw conflict('The time for an appeal is over.', { reason: 'appeal_over' });
  const appeal = { id: newId('appeal'), notice_id: noticeId, created_at: now };
  const stored = await tx
    .insertInto('appeals')
    .values({ ...appeal, user_id: userId, text })
    .onConflict((conflicting) => conflicting.column('notice_id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!stored) throw conflict('You have appealed against this already.', { reason: 'already_appealed' });
  return appeal;
}

/** The newest notice of a restriction of somebody's listing that is in force; undefined where moderation restricts nothing. */
export async function findListingNotice(tx: Tx, listingId: string, userId: string): Promise<string | undefined> {
  const notice = await tx
    .selectFrom('notices')
    .select('id')
    .where('subject_id', '=', listingId)
    .where('user_id', '=', userId)
    .where('restriction', 'in', ['listing_hidden', 'listing_removed'])
    .where('lifted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return notice?.id;
}
