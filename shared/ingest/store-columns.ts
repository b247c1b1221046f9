import type { MappedListing } from './map-record.ts';

/** The columns of `listings` that ingestion writes, with their types in a recordset. */
const listingTypes = {
  category_id: 'text',
  type: 'text',
  condition: 'text',
  title: 'text',
  description: 'text',
  long_description: 'text',
  price_amount: 'double precision',
  price_currency: 'text',
  price_negotiable: 'boolean',
  price_vat_included: 'boolean',
  price_vat_rate: 'real',
  country: 'text',
  country_name: 'text',
  region: 'text',
  city: 'text',
  marina: 'text',
  postal_code: 'text',
  lat: 'double precision',
  lng: 'double precision',
  geocoded: 'boolean',
  shipping: 'boolean',
  year: 'smallint',
  length_m: 'real',
  language: 'text',
  tags: 'text[]',
  attributes: 'jsonb',
} as const satisfies Record<keyof MappedListing, string>;

/** The columns of `listings` that ingestion writes. */
export const columnNames = Object.keys(listingTypes) as (keyof MappedListing)[];

const names: string[] = columnNames;
const recordset = Object.entries(listingTypes)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');

/**
 * Stores new listings with their sources. The sources claim their URLs for the owner first, in the order of the URLs, and a
 * listing is stored only where the claim held: what another transaction has claimed for the same owner meanwhile is left out of
 * the answer, after waiting for that transaction, and so are pages whose listing the owner has deleted for good. Foreign keys are
 * checked at the end of the statement, when both rows are there.
 * $1 recordset, $2 now, $3 seller, $4 expiry, $5 scraper, $6 owner. Answers the ids that are stored.
 */
export const insertListings = `
  with n as materialized (
    select * from jsonb_to_recordset($1::jsonb) as n (id text, slug text, boat jsonb, ${recordset},
      url text, normalized_url text, site text, raw_record jsonb, content_hash text, scraped_at timestamptz, due_at timestamptz)
    where not exists (select from deleted_sources d where d.normalized_url = n.normalized_url and d.owner = $6)
  ), claimed as (
    insert into listing_sources (listing_id, url, normalized_url, owner, site, scraper_id, raw_record, content_hash, scraped_at,
      first_seen_at, last_verified_at, last_change_at, due_at)
    select id, url, normalized_url, $6, site, $5, raw_record, decode(content_hash, 'hex'), scraped_at, $2, $2, $2, due_at
    from n order by normalized_url
    on conflict (normalized_url, owner) do nothing
    returning listing_id
  )
  insert into listings (id, slug, boat, ${names.join(', ')}, seller_id, status, source, created_at, updated_at, expires_at)
  select id, slug, boat, ${names.join(', ')}, $3, 'draft', 'scraped', $2, $2, $4
  from n where id in (select listing_id from claimed)
  returning id`;

/** Overwrites listings with what their pages say now. $1 recordset, $2 now; a null status, expiry or images stay as they are. */
export const updateListings = `
  update listings l
  set (boat, images, status, expires_at, ${names.join(', ')}, updated_at, version)
    = (n.boat, coalesce(n.images, l.images), coalesce(n.status, l.status), coalesce(n.expires_at, l.expires_at),
       ${names.map((name) => `n.${name}`).join(', ')}, $2, l.version + 1)
  from jsonb_to_recordset($1::jsonb) as n (id text, boat jsonb, images jsonb, status text, expires_at timestamptz, ${recordset})
  where l.id = n.id`;

/**
 * Notes that pages were read: $1 recordset, $2 now, $3 scraper. Null raw_record and content_hash stay as they are; a page
 * whose listing is withdrawn names the status it had before, any other is not withdrawn (any more).
 */
export const touchSources = `
  update listing_sources s
  set url = n.url, scraped_at = n.scraped_at, last_verified_at = $2, due_at = n.due_at, interval_hours = n.interval_hours,
    scrape_count = s.scrape_count + 1, misses = 0, missed_at = null, leased_until = null, last_error = n.last_error,
    gone_claimed_at = n.gone_claimed_at,
    withdrawn_at = case when n.withdrawn_from is null then null else coalesce(s.withdrawn_at, $2) end,
    withdrawn_from = case when n.withdrawn_from is null then null else coalesce(s.withdrawn_from, n.withdrawn_from) end,
    scraper_id = coalesce($3, s.scraper_id),
    raw_record = coalesce(n.raw_record, s.raw_record),
    content_hash = coalesce(decode(n.content_hash, 'hex'), s.content_hash),
    last_change_at = case when n.has_changed then $2 else s.last_change_at end
  from jsonb_to_recordset($1::jsonb) as n (listing_id text, url text, raw_record jsonb, content_hash text, has_changed boolean,
    scraped_at timestamptz, due_at timestamptz, interval_hours integer, withdrawn_from text, last_error text, gone_claimed_at timestamptz)
  where s.listing_id = n.listing_id`;

/** Known pages ($1) of an owner ($2), locked in the order of their URLs so that parallel batches cannot deadlock. */
export const lockKnownSources = `
  select s.normalized_url, s.listing_id, s.content_hash, s.scraped_at, s.interval_hours, s.withdrawn_from,
    s.gone_claimed_at, s.raw_record->>'availability' as availability,
    s.raw_record#>>'{evidence,availability}' as availability_evidence, l.status, l.merged_into
  from listing_sources s join listings l on l.id = s.listing_id
  where s.normalized_url = any($1::text[]) and s.owner = $2
  order by s.normalized_url
  for update of s`;

/** Pages ($1) whose listing an owner ($2) has deleted for good, and what it was merged into before. */
export const findDeleted = `select normalized_url, merged_into from deleted_sources where normalized_url = any($1::text[]) and owner = $2`;

/** What an update needs to know of the listings it overwrites, locked in the order of their ids. */
export const lockListings = `
  select id, slug, seller_id, status, expires_at, boat, images, ${names.join(', ')}
  from listings where id = any($1::text[]) order by id for update`;
