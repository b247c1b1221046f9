import { inTransaction } from '../../db/client.ts';
import { createPing, recordPing } from '../../shared/webhooks/deliveries.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { findOwnWebhook } from './find.ts';

/** Posts a ping while the caller waits, and answers how it went. */
export const testWebhook: AuthenticatedHandler<'testWebhook'> = async (services, { params, caller }) => {
  const { clock, webhookSender } = services;
  const webhook = await findOwnWebhook(services, params.id, caller.userId);
  const startedAt = clock.now();
  const ping = createPing(startedAt);
  const outcome = await webhookSender.post({ ...webhook, ...ping }, startedAt);
  await inTransaction(services.db, (tx) =>
    recordPing(tx, webhook.id, ping, outcome, { startedAt, endedAt: clock.now() }),
  );
  const { statusCode, error, durationMs } = outcome;
  return {
    status: 200,
    body: {
      delivery_id: ping.id,
      delivered: error === null,
      status_code: statusCode,
      duration_ms: durationMs,
      error,
    },
  };
};
