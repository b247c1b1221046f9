import { workMove } from '../shared/marketplace/move-listings.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Moves listings after an edit of the marketplace. */
export const moveListings: JobHandler<WorkerServices, 'move-listings'> = (services, { run_id }, job) =>
  workMove(services, run_id, job);
