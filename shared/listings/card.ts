// How a listing is read, in one place:
//   selectListing(db, idOrSlug, locale?) -> Promise<ListingRow | undefined>   one listing in full, in or outside a transaction
//   findListing(pool, idOrSlug, locale)  -> Promise<ListingRow | undefined>   the same as a prepared statement, for readers
//   readCards(pool, ids, locale)         -> Promise<VersionedCard[]>           what a list shows of these listings
//   cardColumns, cardJoins                                                     what a list shows, for the statements of the search
// api/listings/present.ts turns the rows into the shapes of openapi.yaml: presentCard(row, view), presentListing(row, view).
import { CompiledQuery } from 'kysely';
import { types, type CustomTypesConfig, type Pool } from 'pg';
import type { Database } from '../../db/client.ts';
import { prepared } from '../../db/prepared.ts';
import { isId } from '../kit/ids.ts';
import type { Moderation } from '../moderation/moderate.ts';
import type { Attributes } from './attributes.ts';

/** One image as listings.images holds it: ours by its storage key, a foreign one by its URL. */
export type StoredImage = { key?: string; url?: string; alt?: string | null };

/** A listing as lists show it. Times are Date or ISO text, as the connection's parsers have it. */
export type CardRow = {
  id: string;
  slug: string;
  /** In the locale asked for when it was rewritten there, else as written. */
  title: string;
  description: string;
  /** Whether the description is a text rewritten for the locale. */
  rewritten: boolean;
  category_id: string;
  condition: string;
  type: string;
  price_amount: number;
  price_currency: string;
  price_negotiable: boolean;
  price_vat_included: boolean | null;
  price_vat_rate: number | null;
  country: string;
  city: string;
  shipping: boolean;
  country_name: string | null;
  region: string | null;
  marina: string | null;
  postal_code: string | null;
  lat: number | null;
  lng: number | null;
  images: StoredImage[];
  attributes: Attributes;
  seller_id: string;
  seller_name: string;
  seller_type: string;
  seller_verified: boolean;
  seller_since: Date | string;
  status: string;
  created_at: Date | string;
  updated_at: Date | string;
  expires_at: Date | string;
  views: number;
  tags: string[];
  source: string;
  language: string;
  premium_type: string | null;
  premium_until: Date | string | null;
};

/** A listing with what only its detail shows. */
export type ListingRow = CardRow & {
  long_description: string | null;
  /** The nautical extension. */
  boat: Record<string, unknown> | null;
  /** Where the facts were found, when others were merged into this one. */
  sources: Record<string, unknown> | null;
  /** The listing that this one was merged into; it is deleted. */
  merged_into: string | null;
  /** What search engines are told of it in the locale, where that was written. */
  rewritten_seo: { meta_title: string; meta_description: string; keywords: string[] } | null;
  /** What moderation thinks of it; null when it accepts it. */
  moderation: Moderation | null;
  origin_url: string | null;
  origin_normalized_url: string | null;
  origin_site: string | null;
  origin_scraped_at: Date | string | null;
  origin_raw_record: Record<string, unknown> | null;
  /** When its page was last seen to be there; null while it is missing. */
  origin_verified_at: Date | string | null;
  /** What its seller has declared as a trader; null for a private one. */
  seller_trader: StoredTrader | null;
};

/** What a trader has told of themselves, with the time as ISO text. */
export type StoredTrader = {
  name: string;
  address: string;
  country: string;
  register: string | null;
  register_number: string | null;
  email: string;
  phone: string;
  certified_at: string;
};

/** The columns of a CardRow, of listings l with cardJoins. */
export const cardColumns = `l.id, l.slug, coalesce(r.title, l.title) as title, coalesce(r.description, l.description) as description,
  r.description is not null as rewritten, l.category_id, l.condition, l.type, l.price_amount, l.price_currency, l.price_negotiable,
  l.price_vat_included, l.price_vat_rate, l.country, l.city, l.shipping, l.country_name, l.region, l.marina, l.postal_code,
  l.lat, l.lng, l.images, l.attributes, l.seller_id, u.name as seller_name,
  u.type as seller_type, u.verified as seller_verified, u.created_at as seller_since, l.status, l.created_at, l.updated_at,
  l.expires_at, coalesce(v.views, 0) as views, l.tags, l.source, l.language, l.premium_type, l.premium_until`;

/** Whether readers are shown the texts of a rewrite: also while newer ones are being made. */
export const shownRewrite = (alias: string) => `(${alias}.status = 'completed' or ${alias}.source_hash is not null)`;

/** What a CardRow needs beside listings l; `locale` is the placeholder of the locale of its texts. */
export const cardJoins = (locale: string) => `join users u on u.id = l.seller_id
  left join listing_views v on v.listing_id = l.id
  left join listing_rewrites r on r.listing_id = l.id and r.locale = ${locale} and ${shownRewrite('r')}
    and r.description is not null`;

/** A card with the number of the listing's last change, by which an index is held against it. */
export type VersionedCard = CardRow & { version: number };

const cardsById = `select ${cardColumns}, l.version from unnest($1::text[]) with ordinality as page (id, place)
  join listings l on l.id = page.id ${cardJoins('$2')} order by page.place`;

/** The cards of these listings in this order, with the texts of that locale; those that are gone are left out. */
export async function readCards(pool: Pool, ids: readonly string[], locale: string): Promise<VersionedCard[]> {
  if (ids.length === 0) return [];
  const { rows } = await pool.query<VersionedCard>({
    name: 'cards',
    text: cardsById,
    values: [ids, locale],
    types: cardTypes,
  });
  return rows;
}

/** Listings in full, from a table or a query of listings that is named. */
export const listingsFrom = (
  source: string,
  locale: string,
) => `select ${cardColumns}, coalesce(s.long_description, l.long_description) as long_description, s.seo as rewritten_seo,
  l.boat, l.sources, l.merged_into, l.moderation, o.url as origin_url,
  o.normalized_url as origin_normalized_url, o.site as origin_site, o.scraped_at as origin_scraped_at, o.raw_record as origin_raw_record,
  case when o.misses = 0 then o.last_verified_at end as origin_verified_at,
  (select to_jsonb(t) - array['user_id', 'updated_at'] from traders t where t.user_id = l.seller_id) as seller_trader
  from ${source} l ${cardJoins(locale)} left join listing_sources o on o.listing_id = l.id
  left join listing_rewrites s on s.listing_id = l.id and s.locale = ${locale} and ${shownRewrite('s')}`;

const listingText = (column: 'id' | 'slug') => `${listingsFrom('listings', '$2')} where l.${column} = $1`;

/** The statement that reads a listing in full: $1 is its id, $2 the locale of its texts. */
export const listingById = listingText('id');
const listingBySlug = listingText('slug');

/** One listing by id or slug, whatever its status, with the texts of that locale where they were rewritten; undefined when there is none. */
export async function selectListing(db: Database, idOrSlug: string, locale = ''): Promise<ListingRow | undefined> {
  const text = isId('listing', idOrSlug) ? listingById : listingBySlug;
  const { rows } = await db.executeQuery(
    prepared(CompiledQuery.raw(text, [idOrSlug, locale]) as CompiledQuery<ListingRow>),
  );
  return rows[0];
}

/** As selectListing, by a prepared statement and with times as ISO text. */
export async function findListing(pool: Pool, idOrSlug: string, locale: string): Promise<ListingRow | undefined> {
  const known = isId('listing', idOrSlug);
  const { rows } = await pool.query<ListingRow>({
    name: known ? 'listing-by-id' : 'listing-by-slug',
    text: known ? listingById : listingBySlug,
    values: [idOrSlug, locale],
    types: cardTypes,
  });
  return rows[0];
}

/** How many merges are followed from one listing to the next. */
const MAX_MERGE_CHAIN = 20;

/** The listing that all that was merged into one after the other has become; undefined for a merge into nothing. */
export async function findMergeTarget(pool: Pool, id: string | null, locale: string): Promise<ListingRow | undefined> {
  let next = id;
  for (let steps = 0; next !== null && steps < MAX_MERGE_CHAIN; steps += 1) {
    const listing: ListingRow | undefined = await findListing(pool, next, locale);
    if (!listing?.merged_into) return listing;
    next = listing.merged_into;
  }
  return undefined;
}

const parseTime: (text: string) => Date = types.getTypeParser(types.builtins.TIMESTAMPTZ);

/** Times straight from PostgreSQL's text to ISO text, without a Date in between; counts as numbers. */
export const cardTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === types.builtins.TIMESTAMPTZ) return isoOf;
    if (oid === types.builtins.INT8 || oid === types.builtins.NUMERIC) return Number;
    return types.getTypeParser(oid, format);
  }) as CustomTypesConfig['getTypeParser'],
};

const utc = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/;

/** PostgreSQL's text of a time as ISO 8601 in UTC, cut to milliseconds: `2025-10-04 09:31:08.004+00` -> `2025-10-04T09:31:08.004Z`. */
export function isoOf(text: string): string {
  const parts = utc.exec(text);
  if (!parts) return parseTime(text).toISOString();
  return `${parts[1]}T${parts[2]}.${(parts[3] ?? '').padEnd(3, '0').slice(0, 3)}Z`;
}
