import { inTransaction } from '../../db/client.ts';
import { forbidden } from '../../shared/kit/errors.ts';
import { assertModeratedText } from '../../shared/reviews/judge.ts';
import * as replies from '../../shared/reviews/reply.ts';
import { findReview } from '../../shared/reviews/review.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { presentReview } from './present.ts';

/** Answers a review of one of the caller's listings, once; everybody who reads the review reads the answer. */
export const replyToReview: AuthenticatedHandler<'replyToReview'> = async (services, { params, body, caller }) => {
  const review = await findReview(services.db, params.id, params.reviewId);
  if (review.seller_id !== caller.userId) throw forbidden('Only the seller can reply to a review.');
  await assertModeratedText(services, body.reply);
  const now = services.clock.now();
  const replied = await inTransaction(services.db, (tx) =>
    replies.replyToReview(tx, review, { reply: body.reply, now }),
  );
  return { status: 201, body: presentReview(replied) };
};
