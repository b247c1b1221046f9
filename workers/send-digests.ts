import { inTransaction } from '../db/client.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { sendDigests } from '../shared/saved-searches/digests.ts';
import type { WorkerServices } from './services.ts';

/** So many searches in one transaction. */
const BATCH = 200;

/** Mails the news of every saved search that is due. Killed halfway and run again, it mails the rest. */
export const sendDueDigests: JobHandler<WorkerServices, 'send-digests'> = async (services, _payload, { signal }) => {
  const now = services.clock.now();
  let searches = 0;
  for (let count = BATCH; count === BATCH; searches += count) {
    signal.throwIfAborted();
    count = await inTransaction(services.db, (tx) => sendDigests(tx, services, now, BATCH));
  }
  return { searches };
};
