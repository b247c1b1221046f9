import { MINUTE_MS } from '../shared/kit/clock.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { hashImageCores } from '../shared/scams/hash-images.ts';
import type { WorkerServices } from './services.ts';

/** Before the job expires; the next one goes on. */
const TIME_LIMIT_MS = 25 * MINUTE_MS;

/** Hashes the images that were stored before such hashes were kept. */
export const hashImages: JobHandler<WorkerServices, 'hash-images'> = async (services, _payload, { signal }) => ({
  hashed: await hashImageCores(services, AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)])),
});
