import { workDedupRun } from '../shared/dedup/work-run.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Works a search for duplicates to its end. */
export const dedupScan: JobHandler<WorkerServices, 'dedup-scan'> = (services, { run_id }, job) =>
  workDedupRun(services, run_id, job);
