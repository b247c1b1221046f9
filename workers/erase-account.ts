import { workErasure } from '../shared/leaving/erase-run.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Erases what an account that has left leaves behind. */
export const eraseAccount: JobHandler<WorkerServices, 'erase-account'> = (services, { run_id: runId }, job) =>
  workErasure(services, runId, job);
