import { notFound } from '../../shared/kit/errors.ts';
import { findListingsOfSeller } from '../../shared/search/of-seller.ts';
import { presentCard, viewOf } from '../listings/present.ts';
import type { Request } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Services } from '../services.ts';

const allStatuses = ['draft', 'active', 'paused', 'sold', 'expired', 'flagged'];

/** One page of the caller's listings, newest first, in every status but deleted or in the one asked for. */
export const listMyListings: AuthenticatedHandler<'listMyListings'> = async (services, request) => {
  const { status = 'all' } = request.query;
  const statuses = status === 'all' ? allStatuses : [status];
  return answerPage(services, request, request.caller.userId, statuses);
};

/** One page of a user's active listings, newest first; 404 for nobody and for a disabled account. */
export const listUserListings: Handler<'listUserListings'> = async (services, request) => {
  const { id } = request.params;
  const user = await services.db
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (!user) throw notFound('user', id);
  return answerPage(services, request, id, ['active']);
};

async function answerPage(
  services: Services,
  request: Request<'listMyListings'> | Request<'listUserListings'>,
  sellerId: string,
  statuses: readonly string[],
) {
  const { page = 1, limit = 20 } = request.query;
  const { locale } = request;
  const asked = { sellerId, statuses, offset: (page - 1) * limit, limit, locale };
  const { rows, total } = await findListingsOfSeller(services.pool, asked);
  const view = viewOf(services, request);
  const body = {
    results: rows.map((row) => presentCard(row, view)),
    pagination: paginationOf(page, limit, total),
  };
  return { status: 200 as const, body, headers: { 'Content-Language': locale, Vary: 'Accept-Language' } };
}
