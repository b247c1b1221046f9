import { openBackupOfJob, workBackup } from '../shared/backup/backup-run.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Exports the database as it is at one moment into the private storage. */
export const backupDatabase: JobHandler<WorkerServices, 'backup-database'> = async (services, payload, job) => {
  const runId = payload.run_id ?? (await openBackupOfJob(services, job.jobId, payload.requested_by ?? null));
  if (runId === undefined) return { skipped: 'another backup is running' };
  return workBackup(services, runId, job);
};
