import { sql } from 'kysely';
import { normalizeUrl } from '../ingest/normalized-url.ts';
import type { Tx } from '../jobs.ts';

/**
 * Notes that pages of a scraper answered 404 or 410: evidence about these pages alone, which makes their listings due for
 * a second look at once. Pages that no listing came from do not matter.
 */
export async function recordGonePages(tx: Tx, scraperId: string, urls: readonly string[], now: Date): Promise<void> {
  if (urls.length === 0) return;
  await tx
    .updateTable('listing_sources')
    .set({ misses: sql`misses + 1`, due_at: now, last_verified_at: now, last_error: 'The page is gone.' })
    .where('scraper_id', '=', scraperId)
    .where('normalized_url', 'in', urls.map(normalizeUrl))
    .execute();
}
