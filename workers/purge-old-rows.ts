import { CompiledQuery } from 'kysely';
import { addMilliseconds, DAY_MS, HOUR_MS } from '../shared/clock.ts';
import type { JobHandler } from '../shared/job-runner.ts';
import type { WorkerServices } from './services.ts';

/** Which rows have outlived their use, and how long they are kept after the time in that column. */
const rules = [
  { table: 'rate_windows', column: 'window_start', keepMs: HOUR_MS },
  { table: 'quota_uses', column: 'window_start', keepMs: 2 * DAY_MS },
  { table: 'idempotency_keys', column: 'created_at', keepMs: 2 * DAY_MS },
  { table: 'account_tokens', column: 'expires_at', keepMs: 7 * DAY_MS },
  { table: 'listing_visits', column: 'hour', keepMs: 3 * HOUR_MS },
  { table: 'events', column: 'created_at', keepMs: 90 * DAY_MS },
  { table: 'webhook_deliveries', column: 'created_at', keepMs: 30 * DAY_MS, unless: `status = 'pending'` },
  { table: 'process_metrics', column: 'updated_at', keepMs: 7 * DAY_MS },
  { table: 'sent_emails', column: 'sent_at', keepMs: 90 * DAY_MS },
] as const;

const BATCH = 5_000;

/** Deletes what has outlived its use, a few thousand rows at a time so that no lock is held for long; stops when told to. */
export const purgeOldRows: JobHandler<WorkerServices, 'purge-old-rows'> = async (
  { db, clock },
  _payload,
  { signal },
) => {
  const now = clock.now();
  const deleted: Record<string, number> = {};
  for (const rule of rules) {
    const unless = 'unless' in rule ? `and not (${rule.unless})` : '';
    const text = `delete from ${rule.table} where ctid = any(array(
      select ctid from ${rule.table} where ${rule.column} < $1 ${unless} limit ${BATCH}))`;
    for (let count = BATCH; count === BATCH;) {
      signal.throwIfAborted();
      const { numAffectedRows = 0n } = await db.executeQuery(
        CompiledQuery.raw(text, [addMilliseconds(now, -rule.keepMs)]),
      );
      count = Number(numAffectedRows);
      deleted[rule.table] = (deleted[rule.table] ?? 0) + count;
    }
  }
  return deleted;
};
