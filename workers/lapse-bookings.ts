import { inTransaction } from '../db/client.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { lapseRequests } from '../shared/rentals/answer.ts';
import type { WorkerServices } from './services.ts';

const BATCH = 500;

/** Lets requests to book lapse that nobody has answered in time, and mails those who have asked; a second run finds none of them. */
export const lapseBookings: JobHandler<WorkerServices, 'lapse-bookings'> = async (services, _payload, { signal }) => {
  let lapsed = 0;
  for (let count = BATCH; count === BATCH; lapsed += count) {
    signal.throwIfAborted();
    count = await inTransaction(services.db, (tx) => lapseRequests(tx, services, BATCH));
  }
  return { lapsed };
};
