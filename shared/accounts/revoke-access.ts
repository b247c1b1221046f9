import type { Tx } from '../queues/jobs.ts';
import { pauseWebhooks } from '../webhooks/subscriptions.ts';
import { revokeGrants } from './oauth/grants.ts';

/** The API keys, webhooks and connected applications that have ended; a list that would be empty is left out. */
export type RevokedAccess = {
  revoked_keys?: { id: string; label: string; key_prefix: string }[];
  paused_webhooks?: { id: string; url: string }[];
  disconnected_applications?: { id: string; name: string }[];
};

/**
 * Revokes every API key, switches off every webhook and disconnects every application of a user whose row is locked: nothing that
 * was made before works any more.
 */
export async function revokeAccess(tx: Tx, userId: string, now: Date): Promise<RevokedAccess> {
  const keys = await tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .returning(['id', 'label', 'key_prefix'])
    .execute();
  const webhooks = await pauseWebhooks(tx, userId, now);
  const applications = await revokeGrants(tx, userId, now);
  return {
    ...(keys.length > 0 && { revoked_keys: keys.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }),
    ...(webhooks.length > 0 && { paused_webhooks: webhooks }),
    ...(applications.length > 0 && { disconnected_applications: applications }),
  };
}
