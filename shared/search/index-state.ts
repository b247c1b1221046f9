import type { Pool } from 'pg';

/** What is on its way to the index. */
export type IndexState = {
  /** For how long the oldest change has waited; 0 when none does. */
  lagSeconds: number;
  isPending: boolean;
};

const PENDING = `j.name = 'index-listing' and j.state in ('created', 'retry', 'active')`;

/** How far the index is behind all changes committed before. */
export async function readIndexState(pool: Pool): Promise<IndexState> {
  const { rows } = await pool.query<{ lag_seconds: number | null; is_behind: boolean }>({
    name: 'index-state',
    text: `select (select extract(epoch from clock_timestamp() - min(j.created_on))::float8 from pgboss.job j where ${PENDING}) as lag_seconds,
             exists (select from search_backlog) as is_behind`,
  });
  const { lag_seconds: lag = null, is_behind: isBehind = false } = rows[0] ?? {};
  return { lagSeconds: isBehind ? Number.POSITIVE_INFINITY : (lag ?? 0), isPending: isBehind || lag !== null };
}

/** Whether a change of one of this user's listings is on its way. */
export async function hasPendingChange(pool: Pool, userId: string): Promise<boolean> {
  const { rows } = await pool.query<{ is_pending: boolean }>({
    name: 'index-pending-of-user',
    text: `select exists (
             select from pgboss.job j cross join lateral jsonb_array_elements_text(j.data -> 'listing_ids') as changed (id)
             join listings l on l.id = changed.id
             where ${PENDING} and l.seller_id = $1) as is_pending`,
    values: [userId],
  });
  return rows[0]?.is_pending ?? false;
}
