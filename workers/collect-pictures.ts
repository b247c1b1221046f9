import { sql } from 'kysely';
import { inTransaction } from '../db/client.ts';
import { addMilliseconds, DAY_MS } from '../shared/kit/clock.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { LEASE_MS } from '../shared/listings/images-delete.ts';
import type { WorkerServices } from './services.ts';

const UNUSED_MS = 7 * DAY_MS;
const BATCH = 200;

/**
 * Hands on to delete-pictures what nobody will use: uploads that no listing has shown for a week, and files that a process
 * has left behind when it died while it stored them.
 */
export const collectPictures: JobHandler<WorkerServices, 'collect-pictures'> = async (
  { db, jobs, clock },
  _payload,
  { signal },
) => {
  const now = clock.now();
  let collected = 0;
  for (let count = BATCH; count === BATCH; collected += count) {
    signal.throwIfAborted();
    count = await inTransaction(db, async (tx) => {
      const { rows } = await sql<{ sha256: string }>`
        delete from uploads where (sha256, user_id) in (
          select sha256, user_id from uploads where created_at < ${addMilliseconds(now, -UNUSED_MS)}
          order by created_at limit ${BATCH} for update skip locked)
        returning sha256`.execute(tx);
      if (rows.length > 0) await jobs.enqueue(tx, 'delete-pictures', { sha256: rows.map(({ sha256 }) => sha256) });
      return rows.length;
    });
  }
  const leftovers = await db
    .selectFrom('picture_leftovers')
    .select('sha256')
    .where((where) => where.or([where('lease', 'is', null), where('leased_at', '<', addMilliseconds(now, -LEASE_MS))]))
    .limit(BATCH)
    .execute();
  if (leftovers.length > 0) {
    const sha256 = leftovers.map((row) => row.sha256);
    await inTransaction(db, (tx) => jobs.enqueue(tx, 'delete-pictures', { sha256 }));
  }
  return { uploads: collected, leftovers: leftovers.length };
};
