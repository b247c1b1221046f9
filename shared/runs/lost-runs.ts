import { addMilliseconds, MINUTE_MS } from '../kit/clock.ts';
import { findJobOfRun } from '../queues/inspect.ts';
import type { Tx } from '../queues/jobs.ts';
import { queueOfRun, type RunKind } from './kinds.ts';
import { endRun } from './runs.ts';

/** A run that nobody has touched for so long, and whose job is no longer there, is lost too. */
const FORGOTTEN_MS = MINUTE_MS;

/**
 * Ends the runs whose job has ended before them: as cancelled when it was cancelled, else as failed with its error. A run that
 * is paused needs no job, and one whose crawl is over is ended by the records it has found. Answers how many; safe to repeat
 * and to run in several processes.
 */
export async function endLostRuns(tx: Tx, now: Date): Promise<number> {
  const live = await tx
    .selectFrom('runs')
    .select(['id', 'kind', 'job_id', 'updated_at'])
    .where('kind', 'in', Object.keys(queueOfRun))
    .where('status', 'in', ['queued', 'running'])
    .where('paused_reason', 'is', null)
    .where((eb) => eb.or([eb('kind', '<>', 'scraper'), eb('total', 'is', null)]))
    .forUpdate()
    .skipLocked()
    .execute();
  let ended = 0;
  for (const run of live) {
    // Its lock is held: whoever resumes a run has committed the new job before this looks for one.
    const job = await findJobOfRun(tx, queueOfRun[run.kind as RunKind], run);
    const isAtWork = job
      ? ['created', 'retry', 'active'].includes(job.state)
      : run.updated_at > addMilliseconds(now, -FORGOTTEN_MS);
    if (isAtWork) continue;
    const end =
      job?.state === 'cancelled'
        ? ({ status: 'cancelled' } as const)
        : ({ status: 'failed', error: job?.error ?? 'The process that worked on it was lost.' } as const);
    if (await endRun(tx, run.id, end, now)) ended += 1;
  }
  return ended;
}
