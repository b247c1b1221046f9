import { workRequeue } from '../shared/images/requeue.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Sends images that listings lack to localize-images once more. */
export const requeueImages: JobHandler<WorkerServices, 'requeue-images'> = (services, { run_id }, job) =>
  workRequeue(services, run_id, job);
