import { inTransaction } from '../db/client.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { matchListings } from '../shared/saved-searches/match.ts';
import type { WorkerServices } from './services.ts';

/** Finds the saved searches that some listings are news for; a match that is known for the same reason and price is none. */
export const matchSavedSearches: JobHandler<WorkerServices, 'match-saved-searches'> = async (
  services,
  { candidates },
) => {
  const now = services.clock.now();
  const matches = await inTransaction(services.db, (tx) => matchListings(tx, services, now, candidates));
  return { matches };
};
