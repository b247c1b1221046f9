import { z } from 'zod';
import { runQueue, type Queue } from './queue.ts';

/** The queues that keep the search index like the database. */
export const searchQueues = {
  'index-listing': {
    does: 'Brings the search index up to date with some listings.',
    payload: z.object({ listing_ids: z.array(z.string()).min(1).max(1_000) }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 10,
    retryDelaySeconds: 1,
    retryDelayMaxSeconds: 600,
    heartbeatSeconds: 10,
    expireInSeconds: 60,
    notify: true,
    batchSize: 20,
    keepSeconds: 3_600,
  },
  'drain-search-backlog': {
    does: 'Hands the changes that have waited for the search index on to it.',
    payload: z.object({}),
    worker: 'workers',
    policy: 'short',
    retryLimit: 10,
    retryDelaySeconds: 5,
    retryDelayMaxSeconds: 15,
    heartbeatSeconds: 30,
    expireInSeconds: 900,
    notify: true,
    batchSize: 1,
    keepSeconds: 3_600,
  },
  'reindex-search': {
    does: 'Builds the search index anew beside the one that is read, some batches at a time.',
    ...runQueue,
    policy: 'short',
    heartbeatSeconds: 30,
    expireInSeconds: 900,
  },
} as const satisfies Record<string, Queue>;
