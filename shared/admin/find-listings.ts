import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import { normalizeUrl } from '../ingest/normalized-url.ts';
import type { StoredImage } from '../listings/card.ts';
import { isId } from '../kit/ids.ts';
import { escapeLike } from '../kit/like.ts';

/** Totals are exact below this. */
export const MAX_COUNTED_LISTINGS = 10_000;
/** Sellers and source pages that the words of one search may mean. */
const MAX_MEANT = 200;

export type ListingOrder = 'newest' | 'oldest' | 'updated' | 'price_high' | 'price_low' | 'expires';

export type FoundListing = {
  id: string;
  slug: string;
  title: string;
  status: string;
  category_id: string;
  price_amount: number;
  price_currency: string;
  country: string;
  city: string;
  source: string;
  site: string | null;
  image: StoredImage | null;
  images: number;
  seller_id: string;
  seller_name: string;
  seller_email: string;
  reports: number;
  views: number;
  created_at: Date;
  updated_at: Date;
  expires_at: Date;
  /** Where it stands in the order, as text. */
  place: string;
};

type Filter = {
  q?: string | undefined;
  statuses: readonly string[];
  source?: string | undefined;
  categoryIds?: readonly string[] | undefined;
  country?: string | undefined;
  reported?: boolean | undefined;
  sellerId?: string | undefined;
  scraperId?: string | undefined;
};
/** Behind which listing a page begins: its place in the order, and its id. */
export type ListingPlace = z.infer<typeof listingPlace>;
export const listingPlace = z.tuple([z.string().max(40), z.string().max(40)]);

type Order = { column: RawBuilder<unknown>; type: RawBuilder<unknown>; isDescending: boolean };
const orders: Record<ListingOrder, Order> = {
  newest: { column: sql`l.id`, type: sql`text`, isDescending: true },
  oldest: { column: sql`l.id`, type: sql`text`, isDescending: false },
  updated: { column: sql`l.updated_at`, type: sql`timestamptz`, isDescending: true },
  price_high: { column: sql`l.price_amount`, type: sql`float8`, isDescending: true },
  price_low: { column: sql`l.price_amount`, type: sql`float8`, isDescending: false },
  expires: { column: sql`l.expires_at`, type: sql`timestamptz`, isDescending: false },
};

/**
 * Keyset pages of everybody's listings in any status: those whose id, slug, title, seller (name, address, id) or source page has
 * what is searched for, one `order` at a time, and how many there are, at most MAX_COUNTED_LISTINGS.
 */
export async function findAllListings(
  db: Database,
  filter: Filter,
  { order, after, limit }: { order: ListingOrder; after?: ListingPlace | undefined; limit: number },
): Promise<{ rows: FoundListing[]; total: number }> {
  const fits = sql.join([await meets(db, filter.q), ...conditionsOf(filter)], sql` and `);
  const { column, type, isDescending } = orders[order];
  const direction = isDescending ? sql`desc` : sql`asc`;
  const isBehind = after
    ? sql`(${column}, l.id) ${isDescending ? sql`<` : sql`>`} (${after[0]}::${type}, ${after[1]})`
    : sql`true`;
  const page = sql<FoundListing>`
    with page as (
      select l.id from listings l where ${fits} and ${isBehind} order by ${column} ${direction}, l.id ${direction} limit ${limit})
    select l.id, l.slug, l.title, l.status, l.category_id, l.price_amount, l.price_currency, l.country, l.city, l.source, o.site,
      l.images -> 0 as image, jsonb_array_length(l.images) as images, l.seller_id, u.name as seller_name, u.email as seller_email,
      (select count(*)::int from flags f where f.listing_id = l.id) as reports, coalesce(v.views, 0)::int as views,
      l.created_at, l.updated_at, l.expires_at, ${column}::text as place
    from page join listings l on l.id = page.id join users u on u.id = l.seller_id
      left join listing_sources o on o.listing_id = l.id left join listing_views v on v.listing_id = l.id
    order by ${column} ${direction}, l.id ${direction}`;
  const count = sql<{ total: number }>`
    select count(*)::int as total from (select 1 from listings l where ${fits} limit ${MAX_COUNTED_LISTINGS}) as counted`;
  const [{ rows }, { rows: counts }] = await Promise.all([page.execute(db), count.execute(db)]);
  return { rows, total: counts[0]?.total ?? 0 };
}

function conditionsOf(filter: Filter): RawBuilder<unknown>[] {
  const { statuses, source, categoryIds, country, reported, sellerId, scraperId } = filter;
  return [
    sql`l.status = any(${statuses}::text[])`,
    ...(source === undefined ? [] : [sql`l.source = ${source}`]),
    ...(categoryIds === undefined ? [] : [sql`l.category_id = any(${categoryIds}::text[])`]),
    ...(country === undefined ? [] : [sql`l.country = ${country}`]),
    ...(sellerId === undefined ? [] : [sql`l.seller_id = ${sellerId}`]),
    ...(reported === true ? [sql`l.id = any(array(select distinct f.listing_id from flags f))`] : []),
    ...(reported === false ? [sql`not exists (select from flags f where f.listing_id = l.id)`] : []),
    ...(scraperId === undefined
      ? []
      : [sql`l.id in (select s.listing_id from listing_sources s where s.scraper_id = ${scraperId})`]),
  ];
}

/** What a search means is looked up first: each kind has its index, and the planner sees how much of the table is left. */
async function meets(db: Database, text: string | undefined): Promise<RawBuilder<unknown>> {
  const q = text?.trim() ?? '';
  if (q === '') return sql`true`;
  if (isId('listing', q)) return sql`l.id = ${q}`;
  if (isId('user', q)) return sql`l.seller_id = ${q}`;
  const pattern = `%${escapeLike(q)}%`;
  const [sellers, pages] = await Promise.all([
    sql<{ id: string }>`
      select id from users where lower(' ' || name || ' ' || email || ' ' || id) like ${pattern.toLowerCase()}
        and exists (select from listings l where l.seller_id = users.id)
      limit ${MAX_MEANT}`.execute(db),
    readPages(db, q),
  ]);
  const known = sellers.rows.map(({ id }) => id);
  return sql`(l.title ilike ${pattern} or l.slug = ${q} or l.seller_id = any(${known}::text[]) or l.id = any(${pages}::text[]))`;
}

/** The listings whose source page is at this address, or below it. */
async function readPages(db: Database, q: string): Promise<string[]> {
  const parsed = /^https?:\/\//i.test(q) ? URL.parse(q) : null;
  if (parsed === null) return [];
  const beginning = `${escapeLike(normalizeUrl(q))}%`;
  const { rows } = await sql<{ listing_id: string }>`
    select listing_id from listing_sources where normalized_url like ${beginning} limit ${MAX_MEANT}`.execute(db);
  return rows.map(({ listing_id: id }) => id);
}
