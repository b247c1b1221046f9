import { inTransaction } from '../../db/client.ts';
import { startBackupRun } from '../../shared/backup/backup-run.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Queues an export of every table to the storage; 409 while another one is queued or running. */
export const startBackup: AuthenticatedHandler<'startBackup'> = async ({ db, jobs, clock }, { caller }) => ({
  status: 202,
  body: {
    job_id: await inTransaction(db, (tx) => startBackupRun(tx, jobs, caller.userId, clock.now())),
    status: 'queued',
  },
});
