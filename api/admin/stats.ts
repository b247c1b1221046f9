import type { Pool } from 'pg';
import { readQueueDepths } from '../../shared/queues/inspect.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';

type Stats = Result<'getAdminStats', 200>;

/** Listings, dedup, rewriting, scrapers, response cache and queues at this moment. */
export const getAdminStats: Handler<'getAdminStats'> = async ({ pool, cache, figures }) => {
  const [listings, dedup, rewriting, scrapers, queues] = await Promise.all([
    countListings(pool),
    countDedupGroups(pool),
    figures('rewrites', () => countRewrites(pool)),
    countScrapers(pool),
    readQueueDepths(pool),
  ]);
  return { status: 200, body: { listings, dedup, rewriting, scrapers, cache: cache.stats(), queues } };
};

/** All listings by status, as the stored counters tell. */
export async function countListings(pool: Pool): Promise<Stats['listings']> {
  const { rows } = await pool.query<{ status: keyof Stats['listings']['by_status']; n: number }>(
    `select status, sum(n)::int as n from (
       select status, n from listing_counts union all select status, n from listing_count_deltas) as c group by status`,
  );
  const byStatus = { draft: 0, active: 0, paused: 0, sold: 0, expired: 0, flagged: 0, deleted: 0, suspended: 0 };
  for (const { status, n } of rows) byStatus[status] = n;
  return { total: Object.values(byStatus).reduce((sum, n) => sum + n, 0), by_status: byStatus };
}

/** All groups of duplicates by status, and when a search for them last ended. */
export async function countDedupGroups(pool: Pool): Promise<Stats['dedup']> {
  const { rows } = await pool.query<Omit<Stats['dedup'], 'last_scan_at'> & { last_scan_at: Date | null }>(
    `select count(*)::int as groups_detected,
       count(*) filter (where status = 'merged')::int as groups_merged,
       count(*) filter (where status = 'detected')::int as groups_pending,
       count(*) filter (where status = 'rejected')::int as groups_rejected,
       (select max(finished_at) from runs where kind = 'dedup' and status = 'succeeded') as last_scan_at
     from dedup_groups`,
  );
  const [row] = rows;
  if (!row) throw new Error('an aggregate answered no row');
  return { ...row, last_scan_at: row.last_scan_at?.toISOString() ?? null };
}

async function countRewrites(pool: Pool): Promise<Stats['rewriting']> {
  const { rows } = await pool.query<{ status: keyof Stats['rewriting']; n: number }>(
    'select status, count(*)::int as n from listing_rewrites group by status',
  );
  const counts = { pending: 0, processing: 0, completed: 0, failed: 0, skipped: 0 };
  for (const { status, n } of rows) counts[status] = n;
  return counts;
}

async function countScrapers(pool: Pool): Promise<Stats['scrapers']> {
  const { rows } = await pool.query<Omit<Stats['scrapers'], 'last_run_at'> & { last_run_at: Date | null }>(
    `select count(*)::int as total, count(*) filter (where enabled)::int as enabled,
       (select count(*)::int from runs where kind = 'scraper' and status = 'running') as running,
       (select max(started_at) from runs where kind = 'scraper') as last_run_at
     from scrapers`,
  );
  const [row] = rows;
  if (!row) throw new Error('an aggregate answered no row');
  return { ...row, last_run_at: row.last_run_at?.toISOString() ?? null };
}
