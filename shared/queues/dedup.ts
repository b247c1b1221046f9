import { z } from 'zod';
import { runQueue, type Queue } from './queue.ts';
import { DAY_SECONDS } from '../kit/clock.ts';

/** The queues that look for duplicates. */
export const dedupQueues = {
  'dedup-listing': {
    does: 'Looks for duplicates of listings that are new or have changed.',
    payload: z.object({ listing_ids: z.array(z.string()).min(1).max(100) }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 5,
    retryDelaySeconds: 5,
    retryDelayMaxSeconds: 300,
    heartbeatSeconds: 15,
    expireInSeconds: 120,
    notify: true,
    batchSize: 1,
    keepSeconds: 3_600,
  },
  'dedup-scan': {
    does: 'Works a search for duplicates among all listings, or some, from where it stands to its end.',
    ...runQueue,
    retryDelaySeconds: 1,
    retryDelayMaxSeconds: 15,
    heartbeatSeconds: 10,
    expireInSeconds: DAY_SECONDS - 1,
    concurrency: 3,
  },
  'dedup-reelect': {
    does: 'Keeps another listing of a merged group when the one that was kept is gone.',
    payload: z.object({ group_id: z.string() }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 10,
    retryDelaySeconds: 2,
    retryDelayMaxSeconds: 300,
    heartbeatSeconds: 15,
    expireInSeconds: 120,
    notify: true,
    batchSize: 2,
    keepSeconds: 3_600,
  },
} as const satisfies Record<string, Queue>;
