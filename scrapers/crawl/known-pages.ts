import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { sql } from 'kysely';
import { addMilliseconds, DAY_MS, type Clock } from '../../shared/kit/clock.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import { noteVerifiedPages } from '../../shared/refresh/settle.ts';
import { VERSION } from '../../shared/kit/version.ts';
import type { CrawlSpec, KnownPage, ReadPage } from './spec.ts';

/** After so long a page is read whatever its site says of it. */
export const MAX_TRUST_MS = 14 * DAY_MS;

export type PageRow = {
  page: string;
  record: string;
  etag: string | null;
  last_modified: string | null;
  read_at: Date;
  links: string[];
};

/** What makes the same page another record: a page is known only to crawls that would read it the same way. */
export function rulesOf({ extract, category_id: category }: Pick<CrawlSpec, 'extract' | 'category_id'>): string {
  return createHash('sha256')
    .update(JSON.stringify([VERSION, extract, category]))
    .digest('base64url');
}

/**
 * What is known of pages of a scraper, in their order. A page counts as known while its record is stored as it was read, its
 * listing is on show or may come on show, and nothing has been missed or claimed of it that a second visit is to confirm.
 */
export function createKnownPages(pool: Pool, clock: Clock, scraperId: string, rules: string) {
  return async (pages: readonly string[]): Promise<(KnownPage | undefined)[]> => {
    const { rows } = await pool.query<PageRow>({
      name: 'crawl-pages',
      text: `select p.page, p.record, p.etag, p.last_modified, p.read_at, p.links
             from crawl_pages p
             join listing_sources s on s.normalized_url = p.record and s.scraper_id = p.scraper_id
             join listings l on l.id = s.listing_id
             where p.scraper_id = $1 and p.page = any($2::text[]) and p.rules = $3 and p.read_at > $4
               and s.scraped_at >= p.read_at and s.misses = 0 and s.gone_claimed_at is null
               and l.status in ('draft', 'active', 'paused')`,
      values: [scraperId, pages, rules, addMilliseconds(clock.now(), -MAX_TRUST_MS)],
    });
    return inOrder(pages, rows);
  };
}

/** What rows tell of the pages that were asked for. */
export function inOrder(pages: readonly string[], rows: readonly PageRow[]): (KnownPage | undefined)[] {
  const known = new Map(rows.map((row) => [row.page, toKnownPage(row)]));
  return pages.map((page) => known.get(page));
}

const toKnownPage = (row: PageRow): KnownPage => ({
  record: row.record,
  readAt: row.read_at.getTime(),
  links: row.links,
  ...(row.etag !== null && { etag: row.etag }),
  ...(row.last_modified !== null && { lastModified: row.last_modified }),
});

/** Remembers pages as they were read. */
export async function rememberPages(
  tx: Tx,
  scraperId: string,
  rules: string,
  pages: readonly ReadPage[],
): Promise<void> {
  const rows = new Map(pages.map(({ page, ...rest }) => [page, { page, ...rest }]));
  if (rows.size === 0) return;
  await sql`
    insert into crawl_pages (scraper_id, page, record, etag, last_modified, rules, read_at, links)
    select ${scraperId}, n.page, n.record, n.etag, n."lastModified", ${rules}, n."scrapedAt", n.links
    from jsonb_to_recordset(${JSON.stringify([...rows.values()])}::jsonb)
      as n (page text, record text, etag text, "lastModified" text, "scrapedAt" timestamptz, links text[])
    on conflict (scraper_id, page) do update set record = excluded.record, etag = excluded.etag,
      last_modified = excluded.last_modified, rules = excluded.rules, read_at = excluded.read_at, links = excluded.links`.execute(
    tx,
  );
}

/** Notes that pages were asked for and have not changed: their listings are as they should be, and due again in time. */
export async function noteVerified(tx: Tx, scraperId: string, records: readonly string[], now: Date): Promise<void> {
  if (records.length === 0) return;
  const pages = await tx
    .selectFrom('listing_sources')
    .select('listing_id')
    .where('scraper_id', '=', scraperId)
    .where('normalized_url', 'in', records)
    .execute();
  await noteVerifiedPages(
    tx,
    pages.map(({ listing_id: id }) => id),
    now,
  );
}
