import type { Services } from '../../../api/services.ts';
import type { OperationId } from '../../../api/http/contract.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { createListing, type Person } from '../openapi-cases-things.ts';
import { createParty } from './conversations.ts';
import { ofListing, type Recipe } from './recipe.ts';

/** A listing of that seller, sold to that buyer. */
export async function createSoldListing(services: Services, seller: Person, buyer: Person): Promise<string> {
  const { id } = await createListing(services, seller, 'sold');
  await services.db.updateTable('listings').set({ buyer_id: buyer.id }).where('id', '=', id).execute();
  return id;
}

/** A review of a listing of that seller by somebody else, without a reply. */
export async function createReview(services: Services, seller: Person): Promise<{ id: string; reviewId: string }> {
  const reviewer = await createParty(services);
  const id = await createSoldListing(services, seller, reviewer);
  const reviewId = newId('review');
  await services.db
    .insertInto('reviews')
    .values({
      id: reviewId,
      listing_id: id,
      seller_id: seller.id,
      reviewer_id: reviewer.id,
      rating: 4,
      created_at: services.clock.now(),
    })
    .execute();
  return { id, reviewId };
}

/** What requests about reviews need: the owner reviews as a buyer, and replies as a seller. */
export const reviewRecipes: Partial<Record<OperationId, Recipe>> = {
  createReview: async ({ services, owner }) => ({
    params: { id: await createSoldListing(services, await createParty(services), owner) },
  }),
  listListingReviews: ofListing('active'),
  replyToReview: async ({ services, owner }) => ({ params: await createReview(services, owner) }),
  listUserReviews: ({ owner }) => ({ params: { id: owner.id } }),
  getUserRating: ({ owner }) => ({ params: { id: owner.id } }),
};
