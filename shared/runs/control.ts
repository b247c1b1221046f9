import { inTransaction, type Database } from '../../db/client.ts';
import { ServiceError } from '../kit/errors.ts';
import { readJobState } from '../queues/inspect.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { queueOfRun, type RunKind } from './kinds.ts';
import { endLostRuns } from './lost-runs.ts';
import { endRun, openRun, type NewRun } from './runs.ts';

type Producer = Pick<Jobs, 'enqueue'>;
type Started = { runId: string; jobId: string };
type Stopped = { jobId: string | null; status: 'stopping' | 'stopped' };

/** Opens a run and queues its job; 409 while another one of its subject is live. `payload` is what its job holds beside its id. */
export async function startRun(
  tx: Tx,
  jobs: Producer,
  { payload, ...run }: NewRun & { payload?: object },
  now: Date,
): Promise<Started> {
  await endLostRuns(tx, now);
  const runId = await openRun(tx, run, now);
  return { runId, jobId: await queueRun(tx, jobs, run.kind, { run_id: runId, ...payload }) };
}

/** Queues the job that works a run, and writes down which it is. */
export async function queueRun(tx: Tx, jobs: Producer, kind: RunKind, payload: { run_id: string }): Promise<string> {
  const { run_id: runId } = payload;
  const queue = queueOfRun[kind];
  const jobId = await jobs.enqueue(tx, queue, payload, { key: runId });
  if (jobId === null) throw new Error('the job of a run was not queued');
  await tx.updateTable('runs').set({ job_id: jobId }).where('id', '=', runId).execute();
  return jobId;
}

/** The run of a subject that this job has opened in an earlier try, whether it is live or not. */
export async function findRunOfJob(
  db: Database,
  jobId: string,
  { kind, subject }: Pick<NewRun, 'kind' | 'subject'>,
): Promise<string | undefined> {
  const run = await db
    .selectFrom('runs')
    .select('id')
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  return run?.id;
}

/** Opens a run whose job is there already; undefined while another one of its subject is live. */
export async function openRunOfJob(db: Database, jobId: string, run: NewRun, now: Date): Promise<string | undefined> {
  try {
    return await inTransaction(db, async (tx) => {
      const id = await openRun(tx, run, now);
      await tx.updateTable('runs').set({ job_id: jobId }).where('id', '=', id).execute();
      return id;
    });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'conflict') return undefined;
    throw error;
  }
}

/** Asks the live run of a subject to stop after its step, or ends it at once when nobody works it; undefined when none is live. */
export async function stopRun(tx: Tx, kind: RunKind, subject: string, now: Date): Promise<Stopped | undefined> {
  const run = await lockLiveRun(tx, kind, subject);
  if (!run) return undefined;
  const { id, job_id: jobId, paused_reason: pausedReason } = run;
  const state = jobId === null ? undefined : await readJobState(tx, queueOfRun[kind], jobId);
  if (state !== 'active' || pausedReason !== null) {
    await endRun(tx, id, { status: 'cancelled' }, now);
    return { jobId, status: 'stopped' };
  }
  await tx.updateTable('runs').set({ stop_requested_at: now, updated_at: now }).where('id', '=', id).execute();
  return { jobId, status: 'stopping' };
}

/** The live run of a subject, locked until the transaction ends. */
export const lockLiveRun = (tx: Tx, kind: RunKind, subject: string) =>
  selectLiveRun(tx, kind, subject).forUpdate().executeTakeFirst();

/** The live run of a subject, as it is at this moment. */
export const findLiveRun = (tx: Tx, kind: RunKind, subject: string) =>
  selectLiveRun(tx, kind, subject).executeTakeFirst();

const selectLiveRun = (tx: Tx, kind: RunKind, subject: string) =>
  tx
    .selectFrom('runs')
    .select(['id', 'job_id', 'paused_reason'])
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('status', 'in', ['queued', 'running']);
