import { inTransaction } from '../db/client.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import * as lost from '../shared/runs/lost-runs.ts';
import type { WorkerServices } from './services.ts';

/** Ends the runs that nobody works any more, so that none blocks the next one for ever. */
export const endLostRuns: JobHandler<WorkerServices, 'end-lost-runs'> = async ({ db, clock }) => ({
  ended: await inTransaction(db, (tx) => lost.endLostRuns(tx, clock.now())),
});
