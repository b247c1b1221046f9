import { inTransaction } from '../../db/client.ts';
import { startReindexRun } from '../../shared/search/reindex.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Queues a run that builds the search index anew; 409 while another one is queued or running. */
export const startReindex: AuthenticatedHandler<'startReindex'> = async ({ db, jobs, clock }, { caller }) => ({
  status: 202,
  body: {
    job_id: await inTransaction(db, (tx) => startReindexRun(tx, jobs, caller.userId, clock.now())),
    status: 'queued',
  },
});
