import { normalizeUrl } from '../ingest/normalized-url.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { noteDeclaredGone, noteGonePages } from '../refresh/settle.ts';

/** Pages that a run found gone: they answered 404 or 410 or are missing from a feed, or their source declares it. */
export type GonePages = { missed: readonly string[]; declared: readonly string[] };

/**
 * Notes that pages of a scraper are gone: evidence about these pages alone. One that was missed makes its listing due for a second
 * look at once, and withdraws it when it was missed before; one that was declared gone withdraws it now. Pages that no listing
 * came from do not matter. Answers how many listings expired.
 */
export async function recordGonePages(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  scraperId: string,
  { missed, declared }: GonePages,
  now: Date,
): Promise<number> {
  const gone = await noteGonePages(tx, { jobs }, await listingsOf(tx, scraperId, missed), now);
  const ended = await noteDeclaredGone(tx, { jobs }, await listingsOf(tx, scraperId, declared), now);
  return gone.length + ended.length;
}

async function listingsOf(tx: Tx, scraperId: string, urls: readonly string[]): Promise<string[]> {
  if (urls.length === 0) return [];
  const pages = await tx
    .selectFrom('listing_sources')
    .select('listing_id')
    .where('scraper_id', '=', scraperId)
    .where('normalized_url', 'in', urls.map(normalizeUrl))
    .execute();
  return pages.map(({ listing_id: id }) => id);
}
