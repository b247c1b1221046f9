import { inTransaction } from '../db/client.ts';
import { endDueSuspension } from '../shared/accounts/suspension.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

const BATCH = 100;

/** Ends the suspensions whose time is over, one to a transaction; a second run finds none of them. */
export const endSuspensions: JobHandler<WorkerServices, 'end-suspensions'> = async (services, _payload, { signal }) => {
  const due = await services.db
    .selectFrom('suspensions')
    .select('id')
    .where('ended_at', 'is', null)
    .where('until', '<=', services.clock.now())
    .orderBy('until')
    .limit(BATCH)
    .execute();
  let ended = 0;
  for (const { id } of due) {
    signal.throwIfAborted();
    if (await inTransaction(services.db, (tx) => endDueSuspension(tx, services, id))) ended += 1;
  }
  return { ended };
};
