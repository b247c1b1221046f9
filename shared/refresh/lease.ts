import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import { addMilliseconds, DAY_MS, HOUR_MS, MINUTE_MS } from '../kit/clock.ts';
import type { Tx } from '../queues/jobs.ts';

/** A page that is due for a refresh. */
export type DuePage = {
  listing_id: string;
  url: string;
  site: string;
  owner: string;
  scraper_id: string | null;
  scraped_at: Date;
  due_at: Date;
  misses: number;
};

/** Whose pages: those that one seller sells, or everybody's when undefined. */
export type RefreshScope = { sellerId: string | undefined };

export const LEASE_MS = 10 * MINUTE_MS;
/** The least time between two visits of a page, so that two misses are apart. */
const REST_MS = HOUR_MS;
/** The interval of pages whose listing is sold or deleted. */
const IDLE_MS = 14 * DAY_MS;

/**
 * Whether a listing's page is refreshed: it is or may become public, or was withdrawn and may come back; the next feed tells of
 * what came from a feed.
 */
export const isTracked = sql<boolean>`(
  l.source = 'scraped' and (s.scraper_id in (select id from scrapers where kind = 'feed')) is not true and (l.status in ('draft', 'active', 'paused', 'flagged') or (l.status = 'expired' and s.withdrawn_at is not null)))`;

/**
 * Takes the pages that are due, longest first, for ten minutes: no two callers get the same one while the lease lasts, and a
 * lease that nobody settles lapses. With an `owner` only pages that ingestion would update for it; `restful` leaves those out
 * that somebody looked at within the last hour.
 */
export async function leaseDuePages(
  tx: Tx,
  { sellerId, owner, limit, restful = false }: RefreshScope & { owner?: string; limit: number; restful?: boolean },
  now: Date,
): Promise<DuePage[]> {
  const { rows } = await sql<DuePage>`
    with due as (
      select s.listing_id from listing_sources s join listings l on l.id = s.listing_id
      where s.due_at <= ${now} and (s.leased_until is null or s.leased_until <= ${now}) and ${isTracked}
        and (${sellerId ?? null}::text is null or l.seller_id = ${sellerId ?? null})
        and (${owner ?? null}::text is null or s.owner = ${owner ?? null})
        and (not ${restful}::boolean or s.last_verified_at is null or s.last_verified_at <= ${addMilliseconds(now, -REST_MS)})
      order by s.due_at, s.listing_id limit ${limit}
      for update of s skip locked)
    update listing_sources s set leased_until = ${addMilliseconds(now, LEASE_MS)} from due where s.listing_id = due.listing_id
    returning s.listing_id, s.url, s.site, s.owner, s.scraper_id, s.scraped_at, s.due_at, s.misses`.execute(tx);
  return rows.toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime() || (a.listing_id < b.listing_id ? -1 : 1));
}

/** Postpones pages that are due but need no visit (sold, deleted or over), a few thousand at a time. */
export async function postponeIdlePages(db: Kysely<DB>, now: Date): Promise<void> {
  await sql`
    update listing_sources set due_at = ${addMilliseconds(now, IDLE_MS)} where listing_id = any(array(
      select s.listing_id from listing_sources s join listings l on l.id = s.listing_id
      where s.due_at <= ${now} and not ${isTracked} order by s.due_at limit 5000 for update of s skip locked))`.execute(
    db,
  );
}
