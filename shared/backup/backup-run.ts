import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import type { Progress } from '../../db/backup-format.ts';
import { conflict } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { beginRun, endRun, openRun } from '../runs/runs.ts';

const KIND = 'backup';

/** Queues a backup and answers the id of its job; 409 while another one is queued or running. */
export async function queueBackup(tx: Tx, jobs: Pick<Jobs, 'enqueue'>, requestedBy: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id from pgboss.job where name = 'backup-database' and state in ('created', 'retry', 'active') limit 1`.execute(
    tx,
  );
  const busy = () => conflict('A backup is queued or running already.');
  if (rows[0]) throw busy();
  const jobId = await jobs.enqueue(tx, 'backup-database', { requested_by: requestedBy }, { key: KIND });
  if (!jobId) throw busy();
  return jobId;
}

/**
 * The running run of this job, opened unless an earlier try has; undefined while another job's backup runs. A run whose
 * job has ended without a word, because its process died, ends here as failed.
 */
export async function claimBackupRun(
  db: Database,
  job: { id: string; requestedBy: string | null },
  now: Date,
): Promise<string | undefined> {
  const runId = await inTransaction(db, async (tx) => {
    const live = await tx
      .selectFrom('runs')
      .select(['id', 'job_id'])
      .where('kind', '=', KIND)
      .where('status', 'in', ['queued', 'running'])
      .forUpdate()
      .executeTakeFirst();
    if (live?.job_id === job.id) return live.id;
    if (live) {
      const { rows } = await sql`
        select from pgboss.job where name = 'backup-database' and id = ${live.job_id} and state in ('retry', 'active')`.execute(
        tx,
      );
      if (rows.length > 0) return undefined;
      await endRun(tx, live.id, { status: 'failed', error: 'its process ended' }, now);
    }
    const run = {
      kind: KIND,
      subject: '',
      trigger: 'manual',
      startedBy: job.requestedBy,
      counters: { done: 0 },
    } as const;
    const id = await openRun(tx, run, now);
    await tx.updateTable('runs').set({ job_id: job.id }).where('id', '=', id).execute();
    return id;
  });
  if (runId !== undefined) await beginRun(db, runId, now);
  return runId;
}

/** Writes down how many rows of all are exported. */
export async function noteBackupProgress(
  db: Database,
  runId: string,
  { allRows, allTotalRows }: Pick<Progress, 'allRows' | 'allTotalRows'>,
  now: Date,
): Promise<void> {
  await db
    .updateTable('runs')
    .set({ total: allTotalRows, counters: JSON.stringify({ done: allRows }), updated_at: now })
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .execute();
}

/** Ends the run of a job that failed: cancelled when the job was; it stays live while the job will be tried again. */
export async function settleFailedBackup(
  tx: Tx,
  { runId, jobId, message, lastTry }: { runId: string; jobId: string; message: string; lastTry: boolean },
  now: Date,
): Promise<void> {
  const { rows } = await sql`
    select from pgboss.job where name = 'backup-database' and id = ${jobId} and state = 'cancelled'`.execute(tx);
  if (rows.length > 0) await endRun(tx, runId, { status: 'cancelled' }, now);
  else if (lastTry) await endRun(tx, runId, { status: 'failed', error: message }, now);
}
