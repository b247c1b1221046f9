import { inTransaction } from '../../db/client.ts';
import { findDeliveries, redeliver } from '../../shared/webhooks/deliveries.ts';
import { lockOwnWebhook } from '../../shared/webhooks/subscriptions.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { findOwnWebhook } from './find.ts';
import { paginationOf } from '../http/pagination.ts';
import { presentDelivery } from './present.ts';

/** One page of what was posted to a webhook, newest first. */
export const listWebhookDeliveries: AuthenticatedHandler<'listWebhookDeliveries'> = async (
  services,
  { params, query, caller },
) => {
  const { page = 1, limit = 20, status } = query;
  const { id: webhookId } = await findOwnWebhook(services, params.id, caller.userId);
  const { rows, total } = await findDeliveries(services.db, { webhookId, status, offset: (page - 1) * limit, limit });
  return {
    status: 200,
    body: { results: rows.map(presentDelivery), pagination: paginationOf(page, limit, total) },
  };
};

/** Posts a delivery once more as soon as possible, whatever became of it. */
export const retryWebhookDelivery: AuthenticatedHandler<'retryWebhookDelivery'> = async (
  { db, jobs, clock },
  { params, caller },
) => {
  const waiting = await inTransaction(db, async (tx) => {
    const webhook = await lockOwnWebhook(tx, params.id, caller.userId);
    return redeliver(tx, jobs, webhook, params.deliveryId, clock.now());
  });
  return { status: 202, body: presentDelivery(waiting) };
};
