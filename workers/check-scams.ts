import { checkForScams } from '../shared/scams/check-listings.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Looks for signs of scams in some listings, as they are by now. Repeating it does no harm. */
export const checkScams: JobHandler<WorkerServices, 'check-scams'> = async (services, { listing_ids }, { signal }) => ({
  held: await checkForScams(services, listing_ids, signal),
});
