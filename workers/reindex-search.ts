import type { JobHandler } from '../shared/queues/runner.ts';
import { workReindex } from '../shared/search/reindex.ts';
import type { WorkerServices } from './services.ts';

/** Builds the search index anew beside the one that is read. */
export const reindexSearch: JobHandler<WorkerServices, 'reindex-search'> = (services, { run_id }, job) =>
  workReindex(services, run_id, job);
