import type { Database } from '../../db/client.ts';
import { isId } from '../kit/ids.ts';

/** What a user who wants to review a listing has to do with it. */
export type Reviewable = {
  listingId: string;
  title: string;
  sellerId: string;
  /** The listing's status; undefined for one that is gone for good. */
  status: string | undefined;
  /** Whether the user bought it, or at least asked about it: they know it, whoever may see it now. */
  isKnown: boolean;
  /** Whether they are the buyer whom the seller has named, or have an answer of the seller about it. */
  isBuyer: boolean;
};

/**
 * The listing of that id or slug with what this user has had to do with it. One that is gone for good is still there, by its
 * id, for those who have talked about it: nobody escapes a review by deleting. Undefined for what has never been.
 */
export async function findReviewable(db: Database, idOrSlug: string, userId: string): Promise<Reviewable | undefined> {
  const listing = await db
    .selectFrom('listings')
    .select(['id', 'title', 'seller_id', 'status', 'buyer_id', 'merged_into'])
    .where(isId('listing', idOrSlug) ? 'id' : 'slug', '=', idOrSlug)
    .executeTakeFirst();
  const { id = idOrSlug, merged_into } = listing ?? {};
  let about = db.selectFrom('conversations as c').where('c.listing_id', 'in', merged_into ? [id, merged_into] : [id]);
  if (listing) about = about.where('c.seller_id', '=', listing.seller_id);
  const conversation = await about
    .select((build) => [
      'c.listing_title',
      'c.seller_id',
      build
        .exists(
          build
            .selectFrom('messages as m')
            .select('m.id')
            .whereRef('m.conversation_id', '=', 'c.id')
            .whereRef('m.sender_id', '=', 'c.seller_id'),
        )
        .as('is_answered'),
    ])
    .where('c.buyer_id', '=', userId)
    .orderBy('c.id')
    .limit(1)
    .executeTakeFirst();
  const sellerId = listing?.seller_id ?? conversation?.seller_id;
  const title = listing?.title ?? conversation?.listing_title;
  if (sellerId === undefined || title === undefined) return undefined;
  const isNamed = listing?.buyer_id === userId;
  return {
    listingId: id,
    title,
    sellerId,
    status: listing?.status,
    isKnown: isNamed || conversation !== undefined,
    isBuyer: isNamed || Boolean(conversation?.is_answered),
  };
}
