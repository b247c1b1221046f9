import { conflict } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';
import type { ReviewRow } from './review.ts';

/** Stores the seller's answer to a review: once, and of several at the same time the first; 409 after that. */
export async function replyToReview(
  tx: Tx,
  review: ReviewRow,
  { reply, now }: { reply: string; now: Date },
): Promise<ReviewRow> {
  const replied = await tx
    .updateTable('reviews')
    .set({ reply, replied_at: now })
    .where('id', '=', review.id)
    .where('reply', 'is', null)
    .returning(['reply', 'replied_at'])
    .executeTakeFirst();
  if (!replied) throw conflict('This review has its reply already.');
  return { ...review, ...replied };
}
