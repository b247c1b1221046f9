import type { Database } from '../../db/client.ts';
import { conflict } from '../kit/errors.ts';
import { findJobOfRun } from '../queues/inspect.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { lockLiveRun, queueRun, startRun, stopRun } from '../runs/control.ts';
import { queueOfRun } from '../runs/kinds.ts';

export const migrationKind = 'rewrite-migration';
export const noCounts = { migrated: 0, failed: 0, batches: 0 };

/** Starts a migration, or resumes one that is paused or has lost its job; 409 while one runs. Answers the id of its job. */
export async function startMigration(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  startedBy: string,
  now: Date,
): Promise<string> {
  const live = await lockLiveRun(tx, migrationKind, '');
  if (!live) {
    const run = { kind: migrationKind, subject: '', trigger: 'manual', startedBy, counters: noCounts } as const;
    const { jobId } = await startRun(tx, jobs, run, now);
    return jobId;
  }
  if (live.paused_reason === null && (await isAtWork(tx, live))) throw conflict('A migration is running.');
  const resumed = { paused_reason: null, stop_requested_at: null, tries: 0, updated_at: now };
  await tx.updateTable('runs').set(resumed).where('id', '=', live.id).execute();
  return queueRun(tx, jobs, migrationKind, { run_id: live.id });
}

/** Tells the running migration to stop after the listing at hand, and ends at once what nobody works; 409 when none is live. */
export async function stopMigration(tx: Tx, now: Date) {
  const stopped = await stopRun(tx, migrationKind, '', now);
  if (!stopped) throw conflict('No migration is running.');
  return stopped.status === 'stopped' ? { ...stopped, jobId: null } : stopped;
}

/** The migration that is live, else the last one. */
export function readLastMigration(db: Database) {
  return db
    .selectFrom('runs')
    .select(['id', 'status', 'paused_reason', 'total', 'counters', 'last_error'])
    .where('kind', '=', migrationKind)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function isAtWork(tx: Tx, run: { id: string; job_id: string | null }): Promise<boolean> {
  const job = await findJobOfRun(tx, queueOfRun[migrationKind], run);
  return job !== undefined && ['created', 'retry', 'active'].includes(job.state);
}
