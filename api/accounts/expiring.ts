import { addMilliseconds, DAY_MS } from '../../shared/kit/clock.ts';
import { findExpiringListings } from '../../shared/search/expiring.ts';
import { presentCard, viewOf } from '../listings/present.ts';
import type { Request } from '../http/types.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Services } from '../services.ts';

/** One page of the caller's listings that expire within some days, soonest first. */
export const listMyExpiringListings: AuthenticatedHandler<'listMyExpiringListings'> = async (services, request) =>
  answerExpiring(services, request, request.caller.userId);

/** The same of one seller's listings, or of everybody's. */
export async function answerExpiring(
  services: Services,
  request: Request<'listMyExpiringListings'> | Request<'listExpiringListings'>,
  sellerId?: string,
) {
  const { days = 7, page = 1, limit = 20 } = request.query;
  const { locale } = request;
  const { rows, total } = await findExpiringListings(services.pool, {
    sellerId,
    until: addMilliseconds(services.clock.now(), days * DAY_MS),
    offset: (page - 1) * limit,
    limit,
    locale,
  });
  const view = viewOf(services, request);
  const body = {
    results: rows.map((row) => presentCard(row, view)),
    pagination: paginationOf(page, limit, total),
    days,
  };
  return { status: 200 as const, body, headers: { 'Content-Language': locale, Vary: 'Accept-Language' } };
}
