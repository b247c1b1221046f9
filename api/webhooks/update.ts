import { inTransaction } from '../../db/client.ts';
import { requireLiveCredential } from '../../shared/accounts/live-credential.ts';
import { changeWebhook, checkTarget, lockOwnWebhook } from '../../shared/webhooks/subscriptions.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { presentWebhook } from './present.ts';

/** Changes the fields that are sent, and switches the webhook on or off. */
export const updateWebhook: AuthenticatedHandler<'updateWebhook'> = async (services, { params, body, caller }) => {
  const changed = await inTransaction(services.db, async (tx) => {
    await requireLiveCredential(tx, caller);
    const webhook = await lockOwnWebhook(tx, params.id, caller.userId);
    if (body.url !== undefined) checkTarget(body.url, services.config.fetchAllow);
    return changeWebhook(tx, webhook, body, services.clock.now());
  });
  return { status: 200, body: presentWebhook(changed) };
};
