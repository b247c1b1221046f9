import { inTransaction } from '../db/client.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { postponeIdlePages } from '../shared/refresh/lease.ts';
import { queueRefreshes } from '../shared/refresh/queue.ts';
import type { WorkerServices } from './services.ts';

const MAX_REFRESHES = 1_000;

/** Queues a look at scraped pages that are due and that nobody looked at within the hour, the longest due first. */
export const queueDueRefreshes: JobHandler<WorkerServices, 'queue-refreshes'> = async ({ db, jobs, clock }) => {
  const now = clock.now();
  await postponeIdlePages(db, now);
  const scope = { sellerId: undefined, limit: MAX_REFRESHES, restful: true };
  return { queued: await inTransaction(db, (tx) => queueRefreshes(tx, jobs, scope, now)) };
};
