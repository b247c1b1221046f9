import { sql } from 'kysely';
import { addMilliseconds } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { LEASE_MS, leaseDuePages, type RefreshScope } from './lease.ts';

/** Pages of one site per job. */
const PAGES_PER_JOB = 50;

/**
 * Leases pages that are due and queues jobs that look at them, those of one owner, scraper and site together; answers how many.
 * A job that never runs loses nothing: its leases lapse, and the pages are due as before.
 */
export async function queueRefreshes(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueueAll'>,
  scope: RefreshScope & { limit: number; restful?: boolean },
  now: Date,
): Promise<number> {
  const pages = await leaseDuePages(tx, scope, now);
  const groups = Map.groupBy(pages, ({ owner, scraper_id: scraper, site }) => `${owner} ${scraper ?? ''} ${site}`);
  const payloads = [...groups.values()].flatMap((group) => {
    const ids = group.map(({ listing_id: id }) => id);
    return Array.from({ length: Math.ceil(ids.length / PAGES_PER_JOB) }, (_, index) => ({
      payload: { listing_ids: ids.slice(index * PAGES_PER_JOB, (index + 1) * PAGES_PER_JOB) },
    }));
  });
  await jobs.enqueueAll(tx, 'refresh-listing', payloads);
  return pages.length;
}

/** Of these pages those that are still due, leased anew for a refresh that begins now. */
export async function claimForRefresh(tx: Tx, listingIds: readonly string[], now: Date): Promise<ClaimedPage[]> {
  const { rows } = await sql<ClaimedPage>`
    with due as (
      select s.listing_id from listing_sources s
      where s.listing_id = any(${listingIds}::text[]) and s.due_at <= ${now} order by s.normalized_url for update)
    update listing_sources s set leased_until = ${addMilliseconds(now, LEASE_MS)}
    from due join listings l on l.id = due.listing_id
    where s.listing_id = due.listing_id and l.status <> 'deleted'
    returning s.listing_id, s.url, s.normalized_url, s.owner, s.site, s.scraper_id, l.seller_id`.execute(tx);
  return rows;
}

export type ClaimedPage = {
  listing_id: string;
  url: string;
  normalized_url: string;
  owner: string;
  site: string;
  scraper_id: string | null;
  seller_id: string;
};

/** Releases leases before they lapse. */
export async function releaseLeases(tx: Tx, listingIds: readonly string[]): Promise<void> {
  if (listingIds.length === 0) return;
  await tx.updateTable('listing_sources').set({ leased_until: null }).where('listing_id', 'in', listingIds).execute();
}
