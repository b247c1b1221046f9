import type { Pool } from 'pg';

/** As if the pulses of the jobs under way had been missing for long enough: those of the queue are handed out again at once. */
export async function missPulses(pool: Pool, queue: string): Promise<void> {
  await pool.query(
    `update pgboss.job set heartbeat_on = now() - interval '1 hour', retry_delay = 0, retry_backoff = false where state = 'active'`,
  );
  await pool.query(`update pgboss.queue set monitor_claim_on = null, monitor_on = null where name = $1`, [queue]);
}
