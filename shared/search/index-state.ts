import type { Pool } from 'pg';
import { unfinishedJobs } from '../queues/inspect.ts';

/** How far the index is behind the database. */
export type IndexState = {
  /** The age of the oldest pending change; 0 when there is none. */
  lagSeconds: number;
  isPending: boolean;
  /** Whether it has refused documents, which it holds in an old version. */
  refuses: boolean;
};

const PENDING = unfinishedJobs('index-listing');

/** How far the index is behind all changes committed before. */
export async function readIndexState(pool: Pool): Promise<IndexState> {
  const { rows } = await pool.query<{ lag_seconds: number | null; is_behind: boolean; refuses: boolean }>({
    name: 'index-state',
    text: `select (select extract(epoch from clock_timestamp() - min(j.created_on))::float8 from ${PENDING} as j) as lag_seconds,
             exists (select from search_backlog) as is_behind, exists (select from search_refusals) as refuses`,
  });
  const { lag_seconds: lag = null, is_behind: isBehind = false, refuses = false } = rows[0] ?? {};
  const lagSeconds = isBehind ? Number.POSITIVE_INFINITY : (lag ?? 0);
  return { lagSeconds, isPending: isBehind || lag !== null, refuses };
}

/**
 * Whether the index does not know a listing of this user as it is now: a change of it is on its way, or it was refused. One that
 * has been deleted may have been anybody's.
 */
export async function isBehindFor(pool: Pool, userId: string): Promise<boolean> {
  const { rows } = await pool.query<{ is_behind: boolean }>({
    name: 'index-behind-for-user',
    text: `select exists (
             select from ${PENDING} as j cross join lateral jsonb_array_elements_text(j.data -> 'listing_ids') as changed (id)
             left join listings l on l.id = changed.id
             where l.seller_id = $1 or l.id is null)
           or exists (
             select from search_refusals r join listings l on l.id = r.listing_id where l.seller_id = $1) as is_behind`,
    values: [userId],
  });
  return rows[0]?.is_behind ?? false;
}

/** The replication lag between nodes of a cluster, at most. */
const SPREAD_SECONDS = 10;

/** Whether a listing of this user has changed so lately that some node of a cluster may not know it. */
export async function hasRecentChange(pool: Pool, userId: string): Promise<boolean> {
  const { rows } = await pool.query<{ has_changed: boolean }>({
    name: 'index-recent-of-user',
    text: `select exists (
             select from listings where updated_at > now() - interval '${SPREAD_SECONDS} seconds' and seller_id = $1) as has_changed`,
    values: [userId],
  });
  return rows[0]?.has_changed ?? false;
}
