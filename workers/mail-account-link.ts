import { inTransaction } from '../db/client.ts';
import { answerLinkRequest } from '../shared/accounts/link-requests.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Finds out whether an account has the address that a link was asked for, and mails it there. A request is answered once. */
export const mailAccountLink: JobHandler<WorkerServices, 'mail-account-link'> = async (
  services,
  { request_id: requestId, page },
) => inTransaction(services.db, async (tx) => answerLinkRequest(tx, services, { requestId, page }));
