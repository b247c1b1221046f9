import type { JobHandler } from '../shared/queues/runner.ts';
import { remindOfExpiry } from '../shared/listings/remind.ts';
import type { WorkerServices } from './services.ts';

/** Mails owners whose listings expire in seven days or in one. Killed halfway and run again, it mails the others. */
export const notifyExpiring: JobHandler<WorkerServices, 'notify-expiring'> = async (services, _payload, { signal }) => {
  const { notified, errors } = await remindOfExpiry(services, signal);
  const [first] = errors;
  if (first) throw new Error(`${errors.length} owners could not be reminded, of ${first.listing_id} among others`);
  return { notified };
};
