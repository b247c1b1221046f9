import { workRun } from '../shared/dedup/work-run.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Works a search for duplicates to its end. Killed halfway, its next try goes on from there. */
export const dedupScan: JobHandler<WorkerServices, 'dedup-scan'> = (services, { run_id }, { signal }) =>
  workRun(services, run_id, signal);
