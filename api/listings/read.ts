import { notFound } from '../../shared/kit/errors.ts';
import { findListing, findMergeTarget, type ListingRow } from '../../shared/listings/card.ts';
import type { Request } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import type { Services } from '../services.ts';
import { MARKDOWN, renderListing } from './markdown.ts';
import { withPageClaims } from './page-claims.ts';
import { presentListing, viewOf } from './present.ts';
import { isAdministrator } from '../http/authenticate.ts';
import { mayRead } from './visibility.ts';

type ReadRequest = Request<'getListing'> | Request<'getListingMarkdown'>;

/** One listing by id or slug, as JSON or, for a reader who prefers it, as Markdown. It counts as a view unless its owner reads it. */
export const getListing: Handler<'getListing'> = async (services, request) => {
  const { listing, ...answer } = await read(services, request);
  if (!request.wantsMarkdown) return { status: 200, body: listing, ...answer };
  return { status: 200, body: { text: renderListing(listing, services.catalog), type: MARKDOWN }, ...answer };
};

/** The same listing as Markdown. */
export const getListingMarkdown: Handler<'getListingMarkdown'> = async (services, request) => {
  const { listing, ...answer } = await read(services, request);
  return { status: 200, body: { text: renderListing(listing, services.catalog), type: MARKDOWN }, ...answer };
};

async function read(services: Services, request: ReadRequest) {
  const { params, caller, locale } = request;
  const row = await findListing(services.pool, params.id, locale);
  if (!row || !mayRead(row, caller, services.profile)) throw await missing(services, request, row);
  const listing = presentListing(row, viewOf(services, request));
  return {
    listing: isAdministrator(caller) ? await withPageClaims(services.db, listing) : listing,
    headers: headersOf(row, locale),
    cacheSubject: row.id,
    effects: row.seller_id === caller?.userId ? undefined : { viewed: row.id },
  };
}

/** A 404; where the listing was merged into another one that the caller may read, it tells which. */
async function missing({ pool, profile }: Services, { params, caller, locale }: ReadRequest, row?: ListingRow) {
  const target = row && (await findMergeTarget(pool, row.merged_into, locale));
  if (!target || !mayRead(target, caller, profile)) return notFound('listing', params.id);
  const { id, slug } = target;
  return notFound('listing', params.id, { merged_into: { id, slug } });
}

/** Content-Language tells which text it is: the one rewritten for the locale, or the original. */
const headersOf = (row: ListingRow, locale: string) => ({
  'Content-Language': row.rewritten ? locale : row.language,
  Vary: 'Accept-Language, Accept',
});
