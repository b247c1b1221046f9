import type { JobHandler } from '../shared/queues/runner.ts';
import { expireListings as letExpire } from '../shared/listings/expire.ts';
import type { WorkerServices } from './services.ts';

/** Lets listings expire whose time is over. Killed halfway and run again, it goes on with the rest. */
export const expireListings: JobHandler<WorkerServices, 'expire-listings'> = async (services, _payload, { signal }) => {
  const { expired, errors } = await letExpire(services, signal);
  const [first] = errors;
  if (first) throw new Error(`${errors.length} listings could not expire, ${first.listing_id} among them`);
  return { expired };
};
