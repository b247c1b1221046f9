import type { Selectable } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import type { Runs } from '../../db/types.gen.ts';
import type { Clock } from '../kit/clock.ts';
import { GiveUp, type Tx } from '../queues/jobs.ts';
import type { QueueName } from '../queues/queues.ts';
import type { JobContext } from '../queues/runner.ts';
import { endRun } from './runs.ts';

/** A run in the hands of a job; `token` fences it: whoever takes the run later holds a higher one. */
export type Claim = {
  runId: string;
  token: number;
  queue: QueueName;
  jobId: string;
  attempt: number;
  log: JobContext['log'];
};
type TakenRun = Pick<Selectable<Runs>, 'subject' | 'cursor' | 'params' | 'total' | 'counters'>;

/**
 * Takes a run that is queued, or that another process has left, and begins a try of it. Undefined when it has ended, is paused,
 * or is to stop: then it ends here. One that was taken `maxTries` times without getting on fails, and its job is given up.
 */
export async function takeRun(
  { db, clock }: { db: Database; clock: Clock },
  { runId, queue, job, maxTries }: { runId: string; queue: QueueName; job: JobContext; maxTries: number },
): Promise<{ claim: Claim; row: TakenRun } | undefined> {
  const taken = await inTransaction(db, async (tx) => {
    const now = clock.now();
    const row = await tx
      .updateTable('runs')
      .set((eb) => ({
        status: 'running',
        started_at: eb.fn.coalesce('started_at', eb.val(now)),
        job_id: job.jobId,
        claims: eb('claims', '+', 1),
        tries: eb('tries', '+', 1),
        updated_at: now,
      }))
      .where('id', '=', runId)
      .where('status', 'in', ['queued', 'running'])
      .where('paused_reason', 'is', null)
      .returning([
        'subject',
        'cursor',
        'params',
        'total',
        'counters',
        'claims',
        'tries',
        'last_error',
        'stop_requested_at',
      ])
      .executeTakeFirst();
    if (!row) return { row: undefined };
    if (row.stop_requested_at !== null) {
      await endRun(tx, runId, { status: 'cancelled' }, now);
      return { row: undefined };
    }
    if (row.tries <= maxTries) return { row };
    const error = row.last_error ?? 'Its process died over the same step again and again.';
    await endRun(tx, runId, { status: 'failed', error }, now);
    return { row: undefined, error };
  });
  if (taken.error !== undefined) throw new GiveUp(taken.error);
  const { row } = taken;
  const { jobId, attempt, log } = job;
  return row && { claim: { runId, token: row.claims, queue, jobId, attempt, log }, row };
}

/** Locks a run until the transaction ends; undefined when it has ended, or somebody else has taken it. */
export function lockClaim(tx: Tx, { runId, token }: Claim) {
  return tx
    .selectFrom('runs')
    .select(['stop_requested_at', 'tries'])
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .where('claims', '=', token)
    .forUpdate()
    .executeTakeFirst();
}
