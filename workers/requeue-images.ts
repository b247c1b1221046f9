import type { JobHandler } from '../shared/queues/runner.ts';
import { requeuePictures } from '../shared/images/requeue.ts';
import type { WorkerServices } from './services.ts';

/** Sends pictures that listings lack to localize-images once more. Killed halfway, its next try goes on from there. */
export const requeueImages: JobHandler<WorkerServices, 'requeue-images'> = async (
  services,
  { run_id: runId },
  { signal },
) => ({ listings: await requeuePictures(services, runId, signal) });
