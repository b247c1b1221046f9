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
import type { verifyBackup } from './verify-backup.ts';

type Services = {
  db: Database;
  clock: Clock;
  config: Parameters<typeof createPrivateStorage>[0] & { directDatabaseUrl: string };
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
/** What `BACKUP_SCHEDULE` starts: nobody looks at it, so the service itself tries whether it can be restored. */
const scheduledBackup: NewRun = { ...newBackup(null), trigger: 'schedule', params: { verify: true } };

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

/**
 * The run of a job that was queued without one: by the schedule (nobody asked for it), or by a release whose backups opened their
 * runs by themselves. Undefined while another runs.
 */
export async function openBackupOfJob({ db, clock }: Services, jobId: string, requestedBy: string | null) {
  const run = requestedBy === null ? scheduledBackup : newBackup(requestedBy);
  return (await findRunOfJob(db, jobId, run)) ?? openRunOfJob(db, jobId, run, clock.now());
}

/**
 * Works a backup in one step: exports the database as it is at one moment into the private storage, restores a scheduled one into
 * a scratch database, and deletes the oldest of the earlier exports. A try that ends early leaves no file, and the next one begins
 * anew; a file that cannot be restored fails the run, and the earlier exports stay.
 */
export const workBackup = longRun({
  kind: 'backup',
  cursor: z.undefined(),
  params: z.object({ verify: z.boolean().optional() }).optional(),
  counters: noCounts,
  maxTries: 2,
  async step({ config, clock }: Services, run) {
    const storage = await createPrivateStorage(config);
    const progress = followProgress(run);
    const signal = AbortSignal.any([run.signal, progress.ended]);
    const options = { now: clock.now(), label: run.id.slice(-8), signal, onProgress: progress.tell };
    try {
      const stored = await storeBackup(storage, config.directDatabaseUrl, options);
      const verified = run.params?.verify && (await verify(storage, stored.file, config.directDatabaseUrl, run.id));
      const pruned = await pruneBackups(storage);
      await progress.settled();
      await run.advance({ end: 'succeeded', result: { ...stored, pruned, ...(verified && { verified }) } });
    } finally {
      await progress.settled();
    }
  },
});

/** By itself: what restores loads what migrates, which an idle worker has no use for. */
const verify: typeof verifyBackup = async (...given) => (await import('./verify-backup.ts')).verifyBackup(...given);

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
