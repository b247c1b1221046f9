import type { JobHandler } from '../shared/queues/runner.ts';
import { closeAbandonedCheckouts, endPromotions } from '../shared/premium/end.ts';
import type { WorkerServices } from './services.ts';

/** Takes promotions that are over off their listings, and closes checkouts that nobody can pay any more. */
export const closePromotions: JobHandler<WorkerServices, 'close-promotions'> = async (
  services,
  _payload,
  { signal },
) => ({ ended: await endPromotions(services, signal), abandoned: await closeAbandonedCheckouts(services) });
