import { notFound } from '../../shared/kit/errors.ts';
import { isId } from '../../shared/kit/ids.ts';
import { distributionOf, summarize } from '../../shared/reviews/rating.ts';
import { findReviews } from '../../shared/reviews/review.ts';
import type { Handler } from '../handler.ts';
import { mayRead } from '../listings/visibility.ts';
import type { Services } from '../services.ts';
import { paginationOf } from '../http/pagination.ts';
import { presentReview } from './present.ts';

/** One page of the reviews of a listing, newest first; 404 for a listing that the caller may not see. */
export const listListingReviews: Handler<'listListingReviews'> = async (services, { params, query, caller }) => {
  const listing = await services.db
    .selectFrom('listings')
    .select(['id', 'status', 'seller_id'])
    .where(isId('listing', params.id) ? 'id' : 'slug', '=', params.id)
    .executeTakeFirst();
  if (!listing || !mayRead(listing, caller, services.profile)) throw notFound('listing', params.id);
  return answerPage(services, { column: 'listing_id', id: listing.id }, query);
};

/** One page of the reviews that a user has received as a seller, newest first; 404 for a user who does not exist. */
export const listUserReviews: Handler<'listUserReviews'> = async (services, { params, query }) => {
  await requireUser(services, params.id);
  return answerPage(services, { column: 'seller_id', id: params.id }, query);
};

/** What buyers think of a user as a seller, in figures; 404 for a user who does not exist. */
export const getUserRating: Handler<'getUserRating'> = async (services, { params }) => {
  await requireUser(services, params.id);
  const distribution = await distributionOf(services.db, params.id);
  return { status: 200, body: { user_id: params.id, ...summarize(distribution), distribution } };
};

async function answerPage(
  { db }: Services,
  subject: Parameters<typeof findReviews>[1],
  { page = 1, limit = 20 }: { page?: number; limit?: number },
) {
  const { rows, total } = await findReviews(db, subject, { offset: (page - 1) * limit, limit });
  const pagination = paginationOf(page, limit, total);
  return { status: 200 as const, body: { results: rows.map(presentReview), pagination } };
}

async function requireUser({ db }: Services, id: string): Promise<void> {
  const user = await db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst();
  if (!user) throw notFound('user', id);
}
