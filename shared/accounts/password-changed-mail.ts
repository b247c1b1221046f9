import type { Config } from '../kit/config.ts';
import { urlTo } from '../kit/site-links.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { RevokedAccess } from './revoke-access.ts';

/** Queues the mail that tells the owner of an account of a new password and of what has ended with it, in the transaction that sets it. */
export async function tellPasswordChanged(
  tx: Tx,
  { jobs, config }: { jobs: Pick<Jobs, 'enqueue'>; config: Pick<Config, 'site'> },
  { userId, ended }: { userId: string; ended: RevokedAccess },
  now: Date,
): Promise<void> {
  await jobs.enqueue(tx, 'send-email', {
    message_id: `password-changed.${userId}.${now.getTime()}`,
    template: 'password-changed',
    user_id: userId,
    data: {
      changed_at: now.toISOString(),
      url: urlTo(config.site, 'forgot_password', {}),
      key_ids: ended.revoked_keys?.map(({ id }) => id),
      webhook_ids: ended.paused_webhooks?.map(({ id }) => id),
      application_ids: ended.disconnected_applications?.map(({ id }) => id),
    },
  });
}
