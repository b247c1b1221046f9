import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import type { Progress } from '../../db/backup-format.ts';
import { createPrivateStorage } from '../adapters/create-storage.ts';
import { SECOND_MS, type Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { findRunOfJob, openRunOfJob, startRun } from '../runs/control.ts';
import { longRun, type RunningRun } from '../runs/long-run.ts';
import type { NewRun } from '../runs/runs.ts';
import { pruneBackups, storeBackup } from './backup-storage.ts';

type Services = {
  db: Database;
  clock: Clock;
  config: Parameters<typeof createPrivateStorage>[0] & { databaseUrl: string };
};

const PROGRESS_EVERY_MS = SECOND_MS;
const noCounts = { done: 0 };

const newBackup = (startedBy: string | null): NewRun => ({
  kind: 'backup',
  subject: '',
  trigger: 'manual',
  startedBy,
  counters: noCounts,
});

/** Starts a backup and answers the id of its job; 409 while another one is queued or running. */
export async function startBackupRun(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  requestedBy: string,
  now: Date,
): Promise<string> {
  const { jobId } = await startRun(tx, jobs, newBackup(requestedBy), now);
  return jobId;
}

/** The run of a job that a release before this one has queued: its backups open their runs by themselves. Undefined while another runs. */
export async function openBackupOfJob({ db, clock }: Services, jobId: string, requestedBy: string | null) {
  const run = newBackup(requestedBy);
  return (await findRunOfJob(db, jobId, run)) ?? openRunOfJob(db, jobId, run, clock.now());
}

/**
 * Works a backup in one step: exports the database as it is at one moment into the private storage, and deletes the oldest of
 * the earlier exports. A try that ends early leaves no file, and the next one begins anew.
 */
export const workBackup = longRun({
  kind: 'backup',
  cursor: z.undefined(),
  params: z.unknown(),
  counters: noCounts,
  maxTries: 2,
  async step({ config, clock }: Services, run) {
    const storage = await createPrivateStorage(config);
    const progress = followProgress(run);
    const signal = AbortSignal.any([run.signal, progress.ended]);
    const options = { now: clock.now(), label: run.id.slice(-8), signal, onProgress: progress.tell };
    try {
      const stored = await storeBackup(storage, config.databaseUrl, options);
      const pruned = await pruneBackups(storage);
      await progress.settled();
      await run.advance({ end: 'succeeded', result: { ...stored, pruned } });
    } finally {
      await progress.settled();
    }
  },
});

/** Writes the progress down about once a second, and at the end; `ended` aborts when the run is over meanwhile. */
function followProgress(run: RunningRun<undefined, unknown, 'done'>) {
  const ended = new AbortController();
  let writtenAt = 0;
  let writing = Promise.resolve();
  async function write({ allRows, allTotalRows }: Progress): Promise<void> {
    const isLive = await run.advance({ total: allTotalRows, count: { done: allRows - run.counters.done } });
    if (!isLive) ended.abort(new Error('the run has ended'));
  }
  return {
    ended: ended.signal,
    tell(progress: Progress): void {
      const now = performance.now();
      if (now - writtenAt < PROGRESS_EVERY_MS && progress.allRows < progress.allTotalRows) return;
      writtenAt = now;
      writing = writing
        .then(() => write(progress))
        .catch((error: unknown) => run.log.warn({ err: error }, 'the progress of a backup could not be noted'));
    },
    settled: () => writing,
  };
}
