import { inTransaction } from '../../db/client.ts';
import { requireLiveCredential } from '../../shared/accounts/live-credential.ts';
import { forbidden } from '../../shared/kit/errors.ts';
import { addWebhook, checkTarget } from '../../shared/webhooks/subscriptions.ts';
import { isAdministrator } from '../http/authenticate.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { presentWebhook } from './present.ts';

/** Subscribes a server to events; the secret is in this answer and nowhere else. */
export const createWebhook: AuthenticatedHandler<'createWebhook'> = async (services, { body, caller, links }) => {
  const { url, events, description = null, scope = 'own' } = body;
  if (scope === 'all' && !isAdministrator(caller))
    throw forbidden('Only an administrator can subscribe to the events of everybody.');
  checkTarget(url, services.config.fetchAllow);
  const now = services.clock.now();
  const webhook = await inTransaction(services.db, async (tx) => {
    await requireLiveCredential(tx, caller);
    return addWebhook(tx, caller.userId, { url, events, description, scope }, now);
  });
  return {
    status: 201,
    body: { ...presentWebhook(webhook), secret: webhook.secret },
    headers: { Location: `${links.base}/api/webhooks/${webhook.id}` },
  };
};
