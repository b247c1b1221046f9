import { sql } from 'kysely';
import { addMilliseconds, HOUR_MS } from '../kit/clock.ts';
import type { Tx } from '../queues/jobs.ts';
import type { QueueName } from '../queues/queues.ts';
import { endRun, type RunKind } from './runs.ts';

/** Whose jobs work the runs of each kind. */
const queueOfKind: Record<RunKind, QueueName> = {
  backup: 'backup-database',
  dedup: 'dedup-scan',
  images: 'requeue-images',
  reimport: 'reimport-listings',
  reindex: 'reindex-search',
  'rewrite-migration': 'rewrite-migration',
  scraper: 'run-scraper',
};

/** A run that nobody has touched for so long, and whose job is no longer there, is lost too. */
const FORGOTTEN_MS = HOUR_MS;

type LastJob = { state: string; error: string | null };

/**
 * Ends the runs whose job has ended before them: as cancelled when it was cancelled, else as failed with its error. A run that
 * is paused needs no job, and one whose crawl is over is ended by the records it has found. Answers how many; safe to repeat
 * and to run in several processes.
 */
export async function endLostRuns(tx: Tx, now: Date): Promise<number> {
  const live = await tx
    .selectFrom('runs')
    .select(['id', 'kind', 'job_id', 'updated_at'])
    .where('status', 'in', ['queued', 'running'])
    .where('paused_reason', 'is', null)
    .where((eb) => eb.or([eb('kind', '<>', 'scraper'), eb('total', 'is', null)]))
    .forUpdate()
    .skipLocked()
    .execute();
  let ended = 0;
  for (const run of live) {
    const queue = new Map<string, QueueName>(Object.entries(queueOfKind)).get(run.kind);
    // Its lock is held: whoever resumes a run has committed the new job before this looks for one.
    const job = queue && (await findLastJob(tx, queue, run));
    if (job ? isAtWork(job) : run.updated_at > addMilliseconds(now, -FORGOTTEN_MS)) continue;
    const end =
      job?.state === 'cancelled'
        ? ({ status: 'cancelled' } as const)
        : ({ status: 'failed', error: job?.error ?? 'Its job ended before it did.' } as const);
    if (await endRun(tx, run.id, end, now)) ended += 1;
  }
  return ended;
}

/** The job that works a run, or the last one that did. */
async function findLastJob(
  tx: Tx,
  queue: QueueName,
  run: { id: string; job_id: string | null },
): Promise<LastJob | undefined> {
  const { rows } = await sql<LastJob>`
    select state::text as state, coalesce(output->>'error', output->>'message') as error from pgboss.job
    where name = ${queue} and (id = ${run.job_id} or data->>'run_id' = ${run.id})
    order by state in ('created', 'retry', 'active') desc, created_on desc limit 1`.execute(tx);
  return rows[0];
}

const isAtWork = ({ state }: LastJob) => state === 'created' || state === 'retry' || state === 'active';
