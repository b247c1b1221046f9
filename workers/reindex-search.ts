import type { JobHandler } from '../shared/queues/runner.ts';
import { queueOf } from '../shared/queues/queues.ts';
import { endIdleReindex, failReindex, reindexBatches } from '../shared/search/reindex.ts';
import type { WorkerServices } from './services.ts';

/** Builds the search index anew, some batches at a time. */
export const reindexSearch: JobHandler<WorkerServices, 'reindex-search'> = async (
  { db, pool, jobs, clock, searchIndex },
  { run_id: runId },
  { signal, attempt, jobId },
) => {
  if (!searchIndex) return endIdleReindex(db, runId, clock.now());
  try {
    const reindexing = { db, pool, jobs, jobId, signal, index: searchIndex, now: () => clock.now() };
    return await reindexBatches(reindexing, runId);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (attempt >= queueOf('reindex-search').retryLimit) await failReindex(db, runId, message, clock.now());
    throw error;
  }
};
