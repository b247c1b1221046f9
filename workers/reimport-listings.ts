import { workReimport } from '../shared/ingest/reimport-run.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Maps the raw records of all scraped listings with today's rules. */
export const reimportAllListings: JobHandler<WorkerServices, 'reimport-listings'> = async (
  services,
  { run_id: runId },
  job,
) =>
  workReimport({ ...services, staticUrl: services.config.staticUrl, check: await services.recordCheck() }, runId, job);
