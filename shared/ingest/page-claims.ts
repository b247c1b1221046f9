import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { MARKETPLACE } from './page-owner.ts';

/** A listing that somebody has made of a page. */
export type PageClaim = {
  by: 'marketplace' | 'member';
  listing_id: string;
  status: string;
  seller: { id: string; name: string };
  first_seen_at: string;
};

type Row = { listing_id: string; claims: PageClaim[] };

/** Who claims the pages of these listings, each listing itself included, the first first; what was not ingested is left out. */
export async function readPageClaims(db: Database, listingIds: readonly string[]): Promise<Map<string, PageClaim[]>> {
  const { rows } = await sql<Row>`
    select own.listing_id, jsonb_agg(jsonb_build_object(
        'by', case when s.owner = ${MARKETPLACE} then 'marketplace' else 'member' end,
        'listing_id', s.listing_id, 'status', l.status, 'seller', jsonb_build_object('id', u.id, 'name', u.name),
        'first_seen_at', to_char(s.first_seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      order by s.first_seen_at, s.listing_id) as claims
    from listing_sources own join listing_sources s on s.normalized_url = own.normalized_url
      join listings l on l.id = s.listing_id join users u on u.id = l.seller_id
    where own.listing_id = any(${listingIds}::text[])
    group by own.listing_id`.execute(db);
  return new Map(rows.map(({ listing_id, claims }) => [listing_id, claims]));
}
