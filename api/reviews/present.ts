import type { ReviewRow } from '../../shared/reviews/review.ts';
import type { Result } from '../http/types.ts';

type Review = Result<'createReview', 201>;

/** Review of openapi.yaml. */
export function presentReview(row: ReviewRow): Review {
  const { reply: text, replied_at } = row;
  return {
    id: row.id,
    listing_id: row.listing_id,
    seller_id: row.seller_id,
    reviewer: { id: row.reviewer_id, name: row.reviewer_name },
    rating: row.rating,
    comment: row.comment,
    created_at: row.created_at.toISOString(),
    reply: text === null || replied_at === null ? null : { text, created_at: replied_at.toISOString() },
  };
}
