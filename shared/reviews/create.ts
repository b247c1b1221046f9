import { assertReachable } from '../conversations/reachable.ts';
import type { Clock } from '../kit/clock.ts';
import { conflict } from '../kit/errors.ts';
import { recordEvents } from '../journal/events.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { ReviewRow } from './review.ts';

type Subject = { listingId: string; title: string; sellerId: string };
type Opinion = { reviewer: { id: string; name: string }; rating: number; comment: string | null };

/**
 * Stores a buyer's review of a listing, with its event and a mail for the seller. The unique index lets each buyer review a
 * listing once, however many try at the same time: 409 for the second. 403 for a reviewer whom the seller has blocked.
 */
export async function createReview(
  tx: Tx,
  { jobs, clock }: { jobs: Pick<Jobs, 'enqueue'>; clock: Clock },
  { listingId, title, sellerId }: Subject,
  { reviewer, rating, comment }: Opinion,
): Promise<ReviewRow> {
  const created_at = clock.now();
  await assertReachable(tx, { id: reviewer.id }, sellerId);
  const review = await tx
    .insertInto('reviews')
    .values({
      id: newId('review'),
      listing_id: listingId,
      seller_id: sellerId,
      reviewer_id: reviewer.id,
      rating,
      comment,
      created_at,
    })
    .onConflict((conflicting) => conflicting.columns(['listing_id', 'reviewer_id']).doNothing())
    .returning([
      'id',
      'listing_id',
      'seller_id',
      'reviewer_id',
      'rating',
      'comment',
      'reply',
      'replied_at',
      'created_at',
    ])
    .executeTakeFirst();
  if (!review) throw conflict('You have reviewed this listing already.', { reason: 'already_reviewed' });
  const data = {
    review_id: review.id,
    listing_id: listingId,
    seller_id: sellerId,
    reviewer_id: reviewer.id,
    rating,
  };
  await recordEvents(tx, created_at, [{ type: 'review.created', subject: review.id, ownerId: sellerId, data }]);
  await jobs.enqueue(tx, 'send-email', {
    message_id: `new-review.${review.id}`,
    template: 'new-review',
    user_id: sellerId,
    data: { review_id: review.id, title },
  });
  return { ...review, reviewer_name: reviewer.name };
}
