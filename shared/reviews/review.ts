import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { notFound } from '../kit/errors.ts';
import { isId } from '../kit/ids.ts';

/** A review with the name of who wrote it. */
export type ReviewRow = {
  id: string;
  listing_id: string;
  seller_id: string;
  reviewer_id: string;
  reviewer_name: string;
  rating: number;
  comment: string | null;
  reply: string | null;
  replied_at: Date | null;
  created_at: Date;
};

const selectReviews = (db: Database) =>
  db
    .selectFrom('reviews as r')
    .innerJoin('users as u', 'u.id', 'r.reviewer_id')
    .where('r.removed_at', 'is', null)
    .select([
      'r.id',
      'r.listing_id',
      'r.seller_id',
      'r.reviewer_id',
      'u.name as reviewer_name',
      'r.rating',
      'r.comment',
      'r.reply',
      'r.replied_at',
      'r.created_at',
    ]);

type Subject = { column: 'listing_id' | 'seller_id'; id: string };

/** One page of the reviews of a listing or of a seller, newest first, and how many there are. */
export async function findReviews(
  db: Database,
  { column, id }: Subject,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: ReviewRow[]; total: number }> {
  const [rows, { total }] = await Promise.all([
    selectReviews(db)
      .where(`r.${column}`, '=', id)
      .orderBy('r.created_at', 'desc')
      .orderBy('r.id', 'desc')
      .offset(offset)
      .limit(limit)
      .execute(),
    db
      .selectFrom('reviews')
      .select(sql<number>`count(*)`.as('total'))
      .where(column, '=', id)
      .where('removed_at', 'is', null)
      .executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

/**
 * A review by its id and the id or slug of its listing; 404 when that is not its listing. It outlives the listing: the id of
 * one that is gone still leads to it.
 */
export async function findReview(db: Database, listing: string, reviewId: string): Promise<ReviewRow> {
  const known = isId('listing', listing)
    ? { id: listing }
    : await db.selectFrom('listings').select('id').where('slug', '=', listing).executeTakeFirst();
  const review =
    known &&
    (await selectReviews(db).where('r.id', '=', reviewId).where('r.listing_id', '=', known.id).executeTakeFirst());
  if (!review) throw notFound('review', reviewId);
  return review;
}
