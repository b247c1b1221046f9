import type { Config } from '../kit/config.ts';
import { truncateNetwork } from '../kit/truncate-network.ts';
import { urlTo } from '../kit/site-links.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { describeDevice } from './device.ts';

/** Where a request comes from: the address cut to its network as elsewhere, and the user agent. */
export type RequestOrigin = { network: string; userAgent: string };

/** What the owner of an account is told of, whoever did it. */
export type SecurityEvent = 'signed_in' | 'app_added' | 'app_removed' | 'passkey_added';

/** An origin as it is kept and told: browser and system, and the network without its last part. */
export const describeOrigin = ({ network, userAgent }: RequestOrigin) => ({
  device: describeDevice(userAgent),
  network: truncateNetwork(network),
});

/** Mails the owner of an account what has been done with it and from where, in the transaction that does it; once for each `id`. */
export async function tellOwner(
  tx: Tx,
  { jobs, config }: { jobs: Pick<Jobs, 'enqueue'>; config: Pick<Config, 'site'> },
  { userId, event, origin, id }: { userId: string; event: SecurityEvent; origin: RequestOrigin; id: string },
  now: Date,
): Promise<void> {
  await jobs.enqueue(tx, 'send-email', {
    message_id: `security-notice.${userId}.${event}.${id}`,
    template: 'security-notice',
    user_id: userId,
    data: { event, at: now.toISOString(), ...describeOrigin(origin), url: urlTo(config.site, 'account', {}) },
  });
}
