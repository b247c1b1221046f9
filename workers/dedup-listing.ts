import { checkListings } from '../shared/dedup/check-listings.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Looks for duplicates of some listings, as they are by now. Repeating it does no harm. */
export const dedupListing: JobHandler<WorkerServices, 'dedup-listing'> = async (services, { listing_ids }) => ({
  groups: await checkListings(services, listing_ids),
});
