import { workReimport } from '../shared/ingest/reimport-run.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Maps the raw records of all scraped listings with today's rules. Killed halfway, its next try goes on from there. */
export const reimportAllListings: JobHandler<WorkerServices, 'reimport-listings'> = async (
  services,
  { run_id: runId },
  { signal },
) =>
  workReimport(
    { ...services, staticUrl: services.config.staticUrl, check: await services.recordCheck() },
    runId,
    signal,
  );
