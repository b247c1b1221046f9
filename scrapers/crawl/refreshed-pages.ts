import { sql } from 'kysely';
import type { Pool } from 'pg';
import { addMilliseconds, type Clock } from '../../shared/kit/clock.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { ClaimedPage } from '../../shared/refresh/queue.ts';
import type { KnownPage, ReadPage } from './spec.ts';
import { createKnownPages, inOrder, MAX_TRUST_MS, type PageRow } from './known-pages.ts';

/**
 * What is known of pages that are looked at again: of those of a scraper what its crawls know, of those that an agent sent
 * what the last look has seen, unless the agent has read them since.
 */
export function createRefreshedPages(pool: Pool, clock: Clock, pages: readonly ClaimedPage[], rules: string) {
  const { scraper_id: scraperId = null, owner = '' } = pages[0] ?? {};
  const readAll =
    scraperId === null ? seenPages(pool, clock, owner, rules) : createKnownPages(pool, clock, scraperId, rules);
  return async (asked: readonly string[]): Promise<(KnownPage | undefined)[]> =>
    (await readAll(asked)).map((known, index) => known && { ...known, record: asked[index]!, links: [] });
}

/** The pages of agents, as the last look at each has seen it. */
function seenPages(pool: Pool, clock: Clock, owner: string, rules: string) {
  return async (pages: readonly string[]): Promise<(KnownPage | undefined)[]> => {
    const { rows } = await pool.query<PageRow>({
      name: 'refreshed-pages',
      text: `select s.normalized_url as page, s.normalized_url as record, s.etag, s.last_modified,
                    s.page_read_at as read_at, '{}'::text[] as links
             from listing_sources s join listings l on l.id = s.listing_id
             where s.normalized_url = any($1::text[]) and s.owner = $4 and s.page_rules = $2 and s.page_read_at > $3
               and s.page_read_at >= s.scraped_at and s.misses = 0 and s.gone_claimed_at is null
               and l.status in ('draft', 'active', 'paused')`,
      values: [pages, rules, addMilliseconds(clock.now(), -MAX_TRUST_MS), owner],
    });
    return inOrder(pages, rows);
  };
}

/** Remembers pages as a look has read them; where a page leads stays as the last crawl saw it. */
export async function rememberRefreshes(
  tx: Tx,
  { owner, scraperId, rules }: { owner: string; scraperId: string | null; rules: string },
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
      from ${read} where s.normalized_url = n.page and s.owner = ${owner}`
      : sql`
      update crawl_pages p set etag = n.etag, last_modified = n."lastModified", rules = ${rules}, read_at = n."scrapedAt"
      from ${read} where p.scraper_id = ${scraperId} and p.page = n.page`
  ).execute(tx);
}
