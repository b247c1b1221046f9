import { sql } from 'kysely';
import { addMilliseconds, SECOND_MS } from '../kit/clock.ts';
import { deadlinesOf } from '../kit/deadlines.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { countFreeSlots } from './in-flight.ts';
import type { Message } from './send.ts';

/** Jobs start by the clock of the database, which may be ahead of ours. */
const EARLY_MS = 2 * SECOND_MS;

/** A delivery that is this process's to post until `claimedUntil`. */
export type Claim = Message & { webhookId: string; userId: string; attempts: number; claimedUntil: Date };

/**
 * Takes a delivery to post it within `claimMs`: a reason instead when it is settled, not due, being posted, or may not be sent any more.
 * When its webhook has as many in flight as it may, it is parked, and whoever settles one of those wakes it.
 */
export async function claimDelivery(
  tx: Tx,
  id: string,
  now: Date,
  claimMs: number = deadlinesOf().webhookClaim,
): Promise<Claim | string> {
  const webhook = await lockWebhookOf(tx, id);
  if (!webhook) return 'the delivery or its webhook is gone';
  const delivery = await tx
    .selectFrom('webhook_deliveries')
    .select(['payload', 'status', 'attempts', 'next_attempt_at', 'claimed_until'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (delivery.status !== 'pending') return 'the delivery is settled';
  if (delivery.next_attempt_at && delivery.next_attempt_at > addMilliseconds(now, EARLY_MS))
    return 'the delivery is not due';
  if (delivery.claimed_until && delivery.claimed_until > now) return 'the delivery is being posted';
  if (!webhook.active) return refuse(tx, id, 'The webhook was switched off.');
  if (!webhook.entitled) return refuse(tx, id, 'The owner of this webhook may not receive this any more.');
  if ((await countFreeSlots(tx, webhook.id, webhook.failing_since, now)) === 0) {
    await tx.updateTable('webhook_deliveries').set({ parked: true }).where('id', '=', id).execute();
    return 'others of the webhook are in flight';
  }
  const claimedUntil = addMilliseconds(now, claimMs);
  await tx
    .updateTable('webhook_deliveries')
    .set({ claimed_until: claimedUntil, parked: false })
    .where('id', '=', id)
    .execute();
  const { id: webhookId, user_id: userId, url, secret, previous_secret, previous_secret_until } = webhook;
  const { payload, attempts } = delivery;
  return {
    id,
    webhookId,
    userId,
    url,
    secret,
    previous_secret,
    previous_secret_until,
    payload,
    attempts,
    claimedUntil,
  };
}

/** Everything about the deliveries of one webhook is decided under the lock of its row. */
function lockWebhookOf(tx: Tx, deliveryId: string) {
  return tx
    .selectFrom('webhooks as w')
    .innerJoin('users as u', 'u.id', 'w.user_id')
    .select(['w.id', 'w.user_id', 'w.url', 'w.secret', 'w.previous_secret', 'w.previous_secret_until'])
    .select(['w.active', 'w.failing_since'])
    .select(sql<boolean>`u.disabled_at is null and (w.scope = 'own' or u.role = 'admin')`.as('entitled'))
    .where('w.id', '=', (eb) => eb.selectFrom('webhook_deliveries').select('webhook_id').where('id', '=', deliveryId))
    .forNoKeyUpdate('w')
    .executeTakeFirst();
}

async function refuse(tx: Tx, id: string, error: string): Promise<string> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', parked: false, next_attempt_at: null, error })
    .where('id', '=', id)
    .execute();
  return error;
}

/** Gives a delivery back that was claimed and not posted to its end: another worker takes it at once. */
export async function releaseDelivery(tx: Tx, jobs: Pick<Jobs, 'enqueue'>, claim: Claim): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_deliveries')
    .set({ claimed_until: null })
    .where('id', '=', claim.id)
    .where('claimed_until', '=', claim.claimedUntil)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await jobs.enqueue(tx, 'deliver-webhook', { delivery_id: claim.id });
}
