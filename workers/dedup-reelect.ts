import { reelectCanonical } from '../shared/dedup/reelect.ts';
import { ServiceError } from '../shared/kit/errors.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Keeps another listing of the group where the kept one is gone; one that has closed meanwhile needs nothing. */
export const dedupReelect: JobHandler<WorkerServices, 'dedup-reelect'> = async (services, { group_id }) => {
  try {
    return await reelectCanonical(services, group_id);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return { outcome: 'closed' };
    throw error;
  }
};
