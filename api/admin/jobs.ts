import { inTransaction, type Database } from '../../db/client.ts';
import { conflict, notFound } from '../../shared/kit/errors.ts';
import { bossOf } from '../../shared/queues/jobs.ts';
import { readJob, readJobs, type JobRecord, type JobState } from '../../shared/queues/inspect.ts';
import { findSubject, maskSecrets } from '../../shared/queues/mask-secrets.ts';
import { isQueueName } from '../../shared/queues/queues.ts';
import { endLostRuns } from '../../shared/runs/lost-runs.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';

type Job = Result<'getJob', 200>;
const MAX_STACK = 8_000;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Jobs of all queues, newest first, one page of them. */
export const listJobs: Handler<'listJobs'> = async ({ db }, { query }) => {
  const { queue, state, page = 1, limit = 20 } = query;
  const filter = { ...(queue !== undefined && { queue }), ...(state !== undefined && { state: storedState(state) }) };
  const { jobs, total } = await readJobs(db, { ...filter, page, limit });
  return { status: 200, body: { results: jobs.map(presentJob), pagination: paginationOf(page, limit, total) } };
};

/** One job: its state, and its result or last error. */
export const getJob: Handler<'getJob'> = async ({ db }, { params }) => ({
  status: 200,
  body: presentJobRecord(await findJob(db, params.id)),
});

/** A waiting job never starts; an active one gets its signal within seconds; the run it works ends at once. 409 when it has ended. */
export const cancelJob: Handler<'cancelJob'> = async ({ db, clock }, { params }) => {
  const cancelled = await inTransaction(db, async (tx) => {
    const job = await findJob(tx, params.id);
    if (!['created', 'retry', 'active'].includes(job.state)) throw conflict(`The job is ${job.state} already.`);
    await bossOf(tx).cancel(job.name, job.id);
    await endLostRuns(tx, clock.now());
    return findJob(tx, job.id);
  });
  return { status: 200, body: presentJob(cancelled) };
};

/** Puts a failed or cancelled job back into its queue. 409 from any other state. */
export const retryJob: Handler<'retryJob'> = async ({ db }, { params }) => {
  const waiting = await inTransaction(db, async (tx) => {
    const job = await findJob(tx, params.id);
    if (job.state === 'failed') await bossOf(tx).retry(job.name, job.id);
    else if (job.state === 'cancelled') await bossOf(tx).resume(job.name, job.id);
    else throw conflict(`The job is ${wireState(job.state)}; only failed and cancelled jobs can be tried again.`);
    return findJob(tx, job.id);
  });
  return { status: 200, body: presentJob(waiting) };
};

async function findJob(db: Database, id: string): Promise<JobRecord> {
  const job = uuid.test(id) ? await readJob(db, id) : undefined;
  if (!job) throw notFound('job', id);
  return job;
}

function presentJob(row: JobRecord): Job {
  const ended = ['completed', 'cancelled', 'failed'].includes(row.state);
  return {
    id: row.id,
    queue: row.name,
    state: wireState(row.state),
    progress: row.state === 'completed' ? 100 : row.progress,
    result: row.state === 'completed' ? row.output : null,
    error: row.state === 'completed' ? null : errorText(row.output),
    created_at: row.created_on.toISOString(),
    started_at: row.started_on?.toISOString() ?? null,
    finished_at: ended ? (row.completed_on?.toISOString() ?? null) : null,
    subject: findSubject(row.data),
    attempts: row.started_on === null ? 0 : row.retry_count + 1,
    max_attempts: row.retry_limit + 1,
    next_attempt_at: row.state === 'created' || row.state === 'retry' ? row.start_after.toISOString() : null,
  };
}

/** A job with what it is given to do, without what is secret in it, and where it failed. */
const presentJobRecord = (row: JobRecord): Job => ({
  ...presentJob(row),
  payload: maskSecrets(row.data),
  stack: row.state === 'completed' ? null : stackText(row.output),
});

function stackText(output: unknown): string | null {
  const { stack } = (output ?? {}) as { stack?: unknown };
  return typeof stack === 'string' ? stack.slice(0, MAX_STACK) : null;
}

const wireState = (state: JobState): Job['state'] => (state === 'created' ? 'queued' : state);
const storedState = (state: Job['state']): JobState => (state === 'queued' ? 'created' : state);

function errorText(output: unknown): string | null {
  if (typeof output !== 'object' || output === null) return null;
  const { error, message } = output as { error?: unknown; message?: unknown };
  const text = error ?? message;
  return typeof text === 'string' ? text : null;
}

/** The queue of that name, or 404. */
export function requireQueue(name: string) {
  if (!isQueueName(name)) throw notFound('queue', name);
  return name;
}
