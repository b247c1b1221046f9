import { z } from 'zod';
import {
  findAllListings,
  listingPlace,
  MAX_COUNTED_LISTINGS,
  type FoundListing,
  type ListingPlace,
} from '../../shared/admin/find-listings.ts';
import { readListingRecord } from '../../shared/admin/listing-record.ts';
import { invalid, notFound } from '../../shared/kit/errors.ts';
import { findListing } from '../../shared/listings/card.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import { withPageClaims } from '../listings/page-claims.ts';
import { presentCategory, presentImage, presentListing, viewOf, type View } from '../listings/present.ts';
import { presentHistory } from './listing-history.ts';
import { presentScamCheck } from './scam-check-present.ts';

type Found = Result<'listAllListings', 200>['results'][number];
type ListingRecord = Result<'getListingRecord', 200>;

const undeleted = ['draft', 'active', 'paused', 'sold', 'expired', 'flagged', 'suspended'];

/** One keyset page of everybody's listings, searched by anything that names them. */
export const listAllListings: Handler<'listAllListings'> = async (services, request) => {
  const { q, status, category, source, country, reported, seller_id, scraper_id, cursor } = request.query;
  const { sort = 'newest', limit = 50 } = request.query;
  const filter = {
    q,
    statuses: status === undefined ? undeleted : [status],
    source,
    categoryIds: category === undefined ? undefined : services.catalog.descendantIds(category),
    country: country?.toUpperCase(),
    reported,
    sellerId: seller_id,
    scraperId: scraper_id,
  };
  const after = cursor === undefined ? undefined : readPlace(cursor, sort);
  const { rows, total } = await findAllListings(services.db, filter, { order: sort, after, limit });
  const view = viewOf(services, request);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    status: 200,
    body: {
      results: rows.map((row) => presentFound(row, view)),
      next_cursor: last ? writePlace([last.place, last.id], sort) : null,
      total,
      total_is_exact: total < MAX_COUNTED_LISTINGS,
    },
  };
};

/** A listing in any status with what administrators want to know of it. */
export const getListingRecord: Handler<'getListingRecord'> = async (services, request) => {
  const row = await findListing(services.pool, request.params.id, '');
  if (!row) throw notFound('listing', request.params.id);
  const [listing, { history, reports, seller, sources, groups, scamCheck }] = await Promise.all([
    withPageClaims(services.db, presentListing(row, viewOf(services, request))),
    readListingRecord(services.db, row),
  ]);
  if (!seller) throw notFound('listing', request.params.id);
  const body: ListingRecord = {
    listing,
    seller: {
      ...seller,
      type: seller.type as ListingRecord['seller']['type'],
      created_at: seller.created_at.toISOString(),
    },
    history: presentHistory(history, viewOf(services, request)),
    reports: reports.map(({ created_at, ...report }) => ({
      ...report,
      reason: report.reason as ListingRecord['reports'][number]['reason'],
      created_at: new Date(created_at).toISOString(),
    })),
    sources: sources.map(({ first_seen_at, scraped_at, ...page }) => ({
      ...page,
      first_seen_at: first_seen_at.toISOString(),
      scraped_at: scraped_at.toISOString(),
    })),
    scam_check: presentScamCheck(scamCheck),
    duplicates: groups.map((group) => ({
      ...group,
      status: group.status as ListingRecord['duplicates'][number]['status'],
    })),
  };
  return { status: 200, body };
};

function presentFound(row: FoundListing, view: View): Found {
  const { id, slug, title, country, city, site, images, reports, views } = row;
  const image = row.image && presentImage(row.image, view.links);
  return {
    id,
    slug,
    title,
    status: row.status as Found['status'],
    category: presentCategory(row.category_id, view),
    price: { amount: row.price_amount, currency: row.price_currency },
    location: { country, city },
    source: row.source as Found['source'],
    site,
    image: image ? (image.thumbnail_url ?? image.url) : null,
    images,
    seller: { id: row.seller_id, name: row.seller_name, email: row.seller_email },
    reports,
    views,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}

const storedPlace = z.tuple([z.string().max(20), listingPlace]);

const writePlace = (place: ListingPlace, sort: string) =>
  Buffer.from(JSON.stringify([sort, place])).toString('base64url');

/** Where the page before has ended; 400 for what is none of our cursors, or one of another order. */
function readPlace(cursor: string, sort: string): ListingPlace {
  const refused = () =>
    invalid('The cursor is not valid for this list.', [
      { path: '/query/cursor', message: 'must be the next_cursor of the same order' },
    ]);
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw refused();
  }
  const { data } = storedPlace.safeParse(json);
  if (!data || data[0] !== sort || !isPlace(sort, data[1][0])) throw refused();
  return data[1];
}

/** The database reads the place as what it is compared with. */
function isPlace(sort: string, text: string): boolean {
  if (sort === 'newest' || sort === 'oldest') return !text.includes('\0');
  return sort.startsWith('price')
    ? text !== '' && Number.isFinite(Number(text))
    : /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d(?::\d\d)?$/.test(text);
}
