import { requirePeriod, shiftDay, type Period } from '../../shared/rentals/dates.ts';
import { findRentalsOfOwner, searchRentals } from '../../shared/rentals/search.ts';
import type { Request } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import { MARKDOWN } from '../listings/markdown.ts';
import type { Services } from '../services.ts';
import { renderRentals } from './markdown.ts';
import { paginationOf } from '../http/pagination.ts';
import { presentRentalItem } from './present.ts';

type PageRequest = Request<'listRentals'> | Request<'listRentalsMarkdown'>;

const vary = { Vary: 'Accept' };

/** One page of the rentals that match every filter, as JSON or, for a reader who prefers it, as Markdown. */
export const listRentals: Handler<'listRentals'> = async (services, request) => {
  if (request.wantsMarkdown) return answerMarkdown(services, request);
  return { status: 200, headers: vary, body: await readPage(services, request) };
};

/** The same search as a Markdown catalog. */
export const listRentalsMarkdown: Handler<'listRentalsMarkdown'> = (services, request) =>
  answerMarkdown(services, request);

/** One page of the caller's rentals, newest first, in every status but deleted or in the one asked for. */
export const listMyRentals: AuthenticatedHandler<'listMyRentals'> = async ({ db }, { query, caller, links }) => {
  const { status = 'all', page = 1, limit = 20 } = query;
  const statuses = status === 'all' ? ['active', 'paused'] : [status];
  const asked = { ownerId: caller.userId, statuses, offset: (page - 1) * limit, limit };
  const { rows, total } = await findRentalsOfOwner(db, asked);
  return {
    status: 200,
    body: {
      results: rows.map((row) => presentRentalItem(row, links)),
      pagination: paginationOf(page, limit, total),
    },
  };
};

async function answerMarkdown(services: Services, request: PageRequest) {
  const page = await readPage(services, request);
  const body = { text: renderRentals(page, request.query, request.links), type: MARKDOWN };
  return { status: 200 as const, headers: vary, body };
}

async function readPage({ db, clock }: Services, { query, links }: PageRequest) {
  const { page = 1, limit = 20, sort = 'newest' } = query;
  const filters = {
    free: readPeriod(query),
    minPrice: query.price_per_day_min,
    maxPrice: query.price_per_day_max,
    location: query.location,
    boatType: query.boat_type,
    country: query.country,
  };
  const { rows, total } = await searchRentals(db, filters, {
    sort,
    offset: (page - 1) * limit,
    limit,
    now: clock.now(),
  });
  return {
    results: rows.map((row) => presentRentalItem(row, links)),
    pagination: paginationOf(page, limit, total),
  };
}

/** One date alone means its day: the first that is asked for, or the last before the boat is given back. */
function readPeriod({ date_from: from, date_to: to }: PageRequest['query']): Period | undefined {
  if (from !== undefined && to !== undefined) {
    requirePeriod({ from, to }, '/query');
    return { from, to };
  }
  if (from !== undefined) return { from, to: shiftDay(from, 1) };
  return to === undefined ? undefined : { from: shiftDay(to, -1), to };
}
