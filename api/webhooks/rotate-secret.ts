import { inTransaction } from '../../db/client.ts';
import { lockOwnWebhook, rotateSecret } from '../../shared/webhooks/subscriptions.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Replaces the secret; it is in this answer and nowhere else, and the one before signs as well for a day. */
export const rotateWebhookSecret: AuthenticatedHandler<'rotateWebhookSecret'> = async (
  { db, clock },
  { params, caller },
) => {
  const { id, secret, previousSecretUntil } = await inTransaction(db, async (tx) =>
    rotateSecret(tx, await lockOwnWebhook(tx, params.id, caller.userId), clock.now()),
  );
  return { status: 200, body: { id, secret, previous_secret_until: previousSecretUntil.toISOString() } };
};
