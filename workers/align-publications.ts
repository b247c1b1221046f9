import { inTransaction } from '../db/client.ts';
import { alignPublications } from '../shared/accounts/suspended-publications.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Hides what a suspended person has on show, or brings it back, chunk by chunk as the account is then; a second run goes on. */
export const alignPublicationsOf: JobHandler<WorkerServices, 'align-publications'> = async (
  services,
  { user_id: userId },
  { signal },
) => {
  let changed = 0;
  for (let count = 1; count > 0; changed += count) {
    signal.throwIfAborted();
    count = await inTransaction(services.db, (tx) => alignPublications(tx, services, userId));
  }
  return { changed };
};
