import { inTransaction } from '../db/client.ts';
import type { Progress } from '../db/backup-format.ts';
import { createPrivateStorage } from '../shared/adapters/create-storage.ts';
import { claimBackupRun, noteBackupProgress, settleFailedBackup } from '../shared/backup/backup-run.ts';
import { pruneBackups, storeBackup } from '../shared/backup/backup-storage.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { queueOf } from '../shared/queues/queues.ts';
import { endRun } from '../shared/runs/runs.ts';
import type { WorkerServices } from './services.ts';

const PROGRESS_EVERY_MS = 1_000;

/**
 * Exports the database as it is at one moment into the private storage, and deletes the oldest of the earlier exports. Its
 * run tells how far it is. A try that ends early leaves no file.
 */
export const backupDatabase: JobHandler<WorkerServices, 'backup-database'> = async (
  services,
  payload,
  { signal, jobId, attempt },
) => {
  signal.throwIfAborted();
  const { config, db, clock } = services;
  const runId = await claimBackupRun(db, { id: jobId, requestedBy: payload.requested_by ?? null }, clock.now());
  if (runId === undefined) return { skipped: 'another backup is running' };
  const progress = followProgress(services, runId);
  try {
    const storage = await createPrivateStorage(config);
    const label = jobId.slice(0, 8);
    const options = { now: clock.now(), label, signal, onProgress: progress.tell };
    const stored = await storeBackup(storage, config.databaseUrl, options);
    const pruned = await pruneBackups(storage);
    await progress.settled();
    await inTransaction(db, (tx) => endRun(tx, runId, { status: 'succeeded' }, clock.now()));
    return { ...stored, pruned };
  } catch (error) {
    await progress.settled();
    const message = error instanceof Error ? error.message : String(error);
    const lastTry = attempt >= queueOf('backup-database').retryLimit;
    await inTransaction(db, (tx) => settleFailedBackup(tx, { runId, jobId, message, lastTry }, clock.now()));
    throw error;
  }
};

/** Writes the progress down about once a second, and at the end. */
function followProgress({ db, clock, log }: WorkerServices, runId: string) {
  let writtenAt = 0;
  let writing = Promise.resolve();
  return {
    tell(progress: Progress): void {
      const now = performance.now();
      if (now - writtenAt < PROGRESS_EVERY_MS && progress.allRows < progress.allTotalRows) return;
      writtenAt = now;
      writing = writing
        .then(() => noteBackupProgress(db, runId, progress, clock.now()))
        .catch((error: unknown) => log.warn({ err: error }, 'the progress of a backup could not be noted'));
    },
    settled: () => writing,
  };
}
