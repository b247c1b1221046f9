import { inTransaction } from '../db/client.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { resumeDeliveries } from '../shared/webhooks/resume.ts';
import type { WorkerServices } from './services.ts';

/** Finds deliveries whose worker died or whose job was lost, and sends jobs for them; one too many changes nothing. */
export const resumeWebhooks: JobHandler<WorkerServices, 'resume-webhooks'> = async ({ db, jobs, clock }) => {
  return { resumed: await inTransaction(db, (tx) => resumeDeliveries(tx, jobs, clock.now())) };
};
