import { inTransaction } from '../db/client.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { queueDrain, takeFromBacklog } from '../shared/search/index-backlog.ts';
import { TypesenseError } from '../shared/search/typesense/client.ts';
import type { WorkerServices } from './services.ts';

/** Hands the changes that have waited for the search index on to it; while it cannot be reached, they are tried again. */
export const drainSearchBacklog: JobHandler<WorkerServices, 'drain-search-backlog'> = async (
  { db, jobs, clock, searchIndex },
  _payload,
  { signal },
) => {
  let indexed = 0;
  try {
    for (;;) {
      const taken = await takeFromBacklog(db, async (ids) => searchIndex?.indexTogether(ids));
      indexed += taken;
      if (taken === 0) return { indexed };
      signal.throwIfAborted();
    }
  } catch (error) {
    if (!(error instanceof TypesenseError) && !signal.aborted) throw error;
    await inTransaction(db, (tx) => queueDrain(tx, jobs, clock.now()));
    return { indexed, waits: true };
  }
};
