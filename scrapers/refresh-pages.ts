import { sql } from 'kysely';
import type { Pool } from 'pg';
import { addMilliseconds, type Clock } from '../shared/clock.ts';
import type { Tx } from '../shared/jobs.ts';
import type { ClaimedPage } from '../shared/refresh/queue.ts';
import type { KnownPage, ReadPage } from './crawl-spec.ts';
import { createKnownPages, LONGEST_TRUST_MS } from './pages-shared.ts';

/**
 * What is known of pages that are looked at again: of those of a scraper what its crawls know, of those that an agent sent
 * what the last look has seen, unless the agent has read them since.
 */
export function createRefreshedPages(pool: Pool, clock: Clock, pages: readonly ClaimedPage[], rules: string) {
  const scraperId = pages[0]?.scraper_id ?? null;
  if (scraperId !== null) {
    const read = createKnownPages(pool, clock, scraperId, rules);
    return async (page: string): Promise<KnownPage | undefined> => {
      const known = await read(page);
      return known && { ...known, record: page, links: [] };
    };
  }
  return async (page: string): Promise<KnownPage | undefined> => {
    const { rows } = await pool.query<{ etag: string | null; last_modified: string | null; page_read_at: Date }>({
      name: 'refreshed-page',
      text: `select s.etag, s.last_modified, s.page_read_at
             from listing_sources s join listings l on l.id = s.listing_id
             where s.normalized_url = $1 and s.page_rules = $2 and s.page_read_at > $3 and s.page_read_at >= s.scraped_at
               and s.misses = 0 and s.gone_claimed_at is null and l.status in ('draft', 'active', 'paused')`,
      values: [page, rules, addMilliseconds(clock.now(), -LONGEST_TRUST_MS)],
    });
    const [row] = rows;
    if (!row) return undefined;
    return {
      record: page,
      readAt: row.page_read_at.getTime(),
      links: [],
      ...(row.etag !== null && { etag: row.etag }),
      ...(row.last_modified !== null && { lastModified: row.last_modified }),
    };
  };
}

/** Remembers pages as a look has read them; where a page leads stays as the last crawl saw it. */
export async function rememberLooks(
  tx: Tx,
  scraperId: string | null,
  rules: string,
  pages: readonly ReadPage[],
): Promise<void> {
  if (pages.length === 0) return;
  const read = sql`jsonb_to_recordset(${JSON.stringify(pages)}::jsonb)
    as n (page text, etag text, "lastModified" text, "scrapedAt" timestamptz)`;
  await (
    scraperId === null
      ? sql`
      update listing_sources s
      set etag = n.etag, last_modified = n."lastModified", page_rules = ${rules}, page_read_at = n."scrapedAt"
      from ${read} where s.normalized_url = n.page`
      : sql`
      update crawl_pages p set etag = n.etag, last_modified = n."lastModified", rules = ${rules}, read_at = n."scrapedAt"
      from ${read} where p.scraper_id = ${scraperId} and p.page = n.page`
  ).execute(tx);
}
