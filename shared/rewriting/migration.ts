import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { conflict } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { endRun, openRun } from '../runs/runs.ts';

export const migrationKind = 'rewrite-migration';
export const noCounts = { migrated: 0, failed: 0, batches: 0, provider_failures: 0 };

/** Where a migration stands: behind this listing; and what went wrong last. */
export type Place = { after: string; lastError?: string };

type Producer = Pick<Jobs, 'enqueue'>;

/** Starts a migration, or resumes one that is paused or has lost its job; 409 while one runs. Answers the id of its job. */
export async function startMigration(tx: Tx, jobs: Producer, startedBy: string, now: Date): Promise<string> {
  const live = await lockLive(tx);
  if (live && live.paused_reason === null && (await hasJob(tx, live.id))) throw conflict('A migration is running.');
  const runId =
    live?.id ??
    (await openRun(tx, { kind: migrationKind, subject: '', trigger: 'manual', startedBy, counters: noCounts }, now));
  const jobId = await queueBatch(tx, jobs, runId);
  await tx
    .updateTable('runs')
    .set({
      paused_reason: null,
      stop_requested_at: null,
      job_id: jobId,
      counters: sql`counters || '{"provider_failures": 0}'`,
      updated_at: now,
    })
    .where('id', '=', runId)
    .execute();
  return jobId;
}

/** Tells the running migration to stop after the listing at hand, and ends at once what is paused or has lost its job; 409 when none runs. */
export async function stopMigration(
  tx: Tx,
  now: Date,
): Promise<{ jobId: string | null; status: 'stopping' | 'stopped' }> {
  const live = await lockLive(tx);
  if (!live) throw conflict('No migration is running.');
  if (live.paused_reason !== null || !(await hasJob(tx, live.id))) {
    await endRun(tx, live.id, { status: 'cancelled' }, now);
    return { jobId: null, status: 'stopped' };
  }
  await tx.updateTable('runs').set({ stop_requested_at: now, updated_at: now }).where('id', '=', live.id).execute();
  return { jobId: live.job_id, status: 'stopping' };
}

/** The migration that is live, else the last one. */
export function readLastMigration(db: Database) {
  return db
    .selectFrom('runs')
    .select(['id', 'status', 'paused_reason', 'total', 'counters', 'cursor'])
    .where('kind', '=', migrationKind)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The counters of a migration as numbers, whatever the row holds. */
export function countsOf(counters: unknown): typeof noCounts {
  const stored = new Map(Object.entries((counters ?? {}) as Record<string, unknown>));
  const number = (name: string) => Number(stored.get(name) ?? 0) || 0;
  return {
    migrated: number('migrated'),
    failed: number('failed'),
    batches: number('batches'),
    provider_failures: number('provider_failures'),
  };
}

export const placeOf = (cursor: unknown): Place => ({ after: '', ...(cursor as Partial<Place> | null) });

/** Queues the next batch of a migration: one waits at most. */
export async function queueBatch(tx: Tx, jobs: Producer, runId: string, startAfter?: Date): Promise<string> {
  const options = { key: runId, ...(startAfter && { startAfter }) };
  const queued = await jobs.enqueue(tx, 'rewrite-migration', { run_id: runId }, options);
  return queued ?? (await findJob(tx, runId)) ?? '';
}

function lockLive(tx: Tx) {
  return tx
    .selectFrom('runs')
    .select(['id', 'paused_reason', 'job_id'])
    .where('kind', '=', migrationKind)
    .where('status', 'in', ['queued', 'running'])
    .forUpdate()
    .executeTakeFirst();
}

const hasJob = async (tx: Tx, runId: string) => (await findJob(tx, runId)) !== undefined;

async function findJob(tx: Tx, runId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from pgboss.job where name = 'rewrite-migration' and state in ('created', 'retry', 'active')
      and data->>'run_id' = ${runId} order by created_on desc limit 1`.execute(tx);
  return rows[0]?.id;
}
