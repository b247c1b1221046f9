import { sql } from 'kysely';
import { addMilliseconds, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Claim } from './claim.ts';
import { countFreeSlots, resumeParkedDeliveries } from './in-flight.ts';
import type { Outcome } from './send.ts';

/** How long to wait after each failure; after the last one the delivery has failed for good. */
const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];
/** A webhook that has failed for so long is switched off. */
const PATIENCE_MS = 5 * DAY_MS;
const GONE = 410;

type Enqueue = Pick<Jobs, 'enqueue' | 'enqueueAll'>;

/**
 * Notes what came of posting a claimed delivery: in its row, in its webhook, and in the jobs that follow: the next try on
 * the schedule, and those that waited for this one. Nothing when the claim has run out and is somebody else's.
 */
export async function recordDeliveryOutcome(
  tx: Tx,
  jobs: Enqueue,
  claim: Claim,
  { statusCode, error, durationMs }: Outcome,
  now: Date,
): Promise<void> {
  const webhook = await lockWebhook(tx, claim.webhookId);
  if (!webhook) return;
  const delivered = error === null;
  const isOver = delivered || statusCode === GONE || !webhook.active;
  const waitMs = isOver ? undefined : RETRY_AFTER_MS[claim.attempts];
  const nextAttemptAt = waitMs === undefined ? null : addMilliseconds(now, waitMs);
  const { numUpdatedRows } = await tx
    .updateTable('webhook_deliveries')
    .set({
      status: delivered ? 'delivered' : nextAttemptAt ? 'pending' : 'failed',
      attempts: claim.attempts + 1,
      status_code: statusCode,
      error,
      duration_ms: durationMs,
      next_attempt_at: nextAttemptAt,
      delivered_at: delivered ? now : null,
      claimed_until: null,
    })
    .where('id', '=', claim.id)
    .where('claimed_until', '=', claim.claimedUntil)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const failingSince = delivered ? null : (webhook.failing_since ?? now);
  await tx
    .updateTable('webhooks')
    .set({ last_delivery_at: now, failing_since: failingSince })
    .where('id', '=', claim.webhookId)
    .execute();
  if (!webhook.active) return;
  if (failingSince && (statusCode === GONE || now.getTime() - failingSince.getTime() >= PATIENCE_MS)) {
    await giveUpOn(tx, jobs, claim, statusCode === GONE, failingSince, now);
    return;
  }
  if (nextAttemptAt)
    await jobs.enqueue(tx, 'deliver-webhook', { delivery_id: claim.id }, { startAfter: nextAttemptAt });
  await resumeParkedDeliveries(tx, jobs, claim.webhookId, await countFreeSlots(tx, claim.webhookId, failingSince, now));
}

function lockWebhook(tx: Tx, id: string) {
  return tx
    .selectFrom('webhooks')
    .select(['active', 'failing_since'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Switches a webhook off because of how its deliveries went, and tells its owner. */
async function giveUpOn(
  tx: Tx,
  jobs: Enqueue,
  claim: Claim,
  gone: boolean,
  failingSince: Date,
  now: Date,
): Promise<void> {
  await tx.updateTable('webhooks').set({ active: false }).where('id', '=', claim.webhookId).execute();
  await failPendingDeliveries(tx, claim.webhookId, now);
  const template = gone ? 'webhook-gone' : 'webhook-disabled';
  await jobs.enqueue(tx, 'send-email', {
    message_id: `${template}.${claim.webhookId}.${failingSince.getTime()}`,
    template,
    user_id: claim.userId,
    data: { url: claim.url, failing_since: failingSince.toISOString() },
  });
}

/** Ends every delivery that still waits, of a webhook that is off; those being posted settle by themselves. */
export async function failPendingDeliveries(tx: Tx, webhookId: string, now: Date): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', parked: false, next_attempt_at: null, claimed_until: null })
    .set({ error: sql`coalesce(error, 'The webhook was switched off.')` })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', now)]))
    .execute();
}
