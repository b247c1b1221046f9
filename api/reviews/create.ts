import { inTransaction } from '../../db/client.ts';
import { forbidden, notFound } from '../../shared/kit/errors.ts';
import * as reviews from '../../shared/reviews/create.ts';
import { assertModeratedText } from '../../shared/reviews/judge.ts';
import { findReviewable } from '../../shared/reviews/reviewable.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { mayRead } from '../listings/visibility.ts';
import { presentReview } from './present.ts';

/** Reviews a listing that the caller has bought, or has the seller's answer about: once. 403 for everybody else, and for its seller. */
export const createReview: AuthenticatedHandler<'createReview'> = async (services, { params, body, caller }) => {
  const { rating, comment = null } = body;
  const found = await findReviewable(services.db, params.id, caller.userId);
  if (!found) throw notFound('listing', params.id);
  const { status = 'deleted', sellerId, isKnown, isBuyer } = found;
  if (!isKnown && !mayRead({ status, seller_id: sellerId }, caller, services.profile))
    throw notFound('listing', params.id);
  if (sellerId === caller.userId) throw forbidden('Nobody can review a listing of their own.');
  if (!isBuyer)
    throw forbidden('Only a buyer can review a listing: one whom the seller has answered, or has sold it to.');
  if (comment !== null) await assertModeratedText(services, comment);
  const reviewer = { id: caller.userId, name: caller.name };
  const review = await inTransaction(services.db, (tx) =>
    reviews.createReview(tx, services, found, { reviewer, rating, comment }),
  );
  return { status: 201, body: presentReview(review) };
};
