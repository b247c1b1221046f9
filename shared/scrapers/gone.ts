import { normalizeUrl } from '../ingest/normalized-url.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { noteGonePages } from '../refresh/settle.ts';

/**
 * Notes that pages of a scraper answered 404 or 410: evidence about these pages alone, which makes their listings due for
 * a second look at once, and withdraws those that were missed before. Pages that no listing came from do not matter.
 */
export async function recordGonePages(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  scraperId: string,
  urls: readonly string[],
  now: Date,
): Promise<void> {
  if (urls.length === 0) return;
  const pages = await tx
    .selectFrom('listing_sources')
    .select('listing_id')
    .where('scraper_id', '=', scraperId)
    .where('normalized_url', 'in', urls.map(normalizeUrl))
    .execute();
  await noteGonePages(
    tx,
    { jobs },
    pages.map(({ listing_id: id }) => id),
    now,
  );
}
