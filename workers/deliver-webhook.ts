import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction } from '../db/client.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { claimDelivery, releaseDelivery, type Claim } from '../shared/webhooks/claim.ts';
import { recordDeliveryOutcome } from '../shared/webhooks/settle.ts';
import type { WorkerServices } from './services.ts';

/** After so long a post goes on without its job: a subscriber that hangs keeps no other job waiting. */
const JOB_WAITS_MS = 250;
/** With so many posts in the background, jobs wait for theirs. */
const MAX_IN_BACKGROUND = 500;

/**
 * Posts one delivery to its subscriber and notes the result; after a failure the next try is a job of its own. The row
 * says whether it is due, so a job too many changes nothing, and the same `webhook-id` lets the subscriber drop what a
 * crash made us send twice. A slow post goes on in the background; if this process dies, resume-webhooks finds it.
 */
export const deliverWebhook: JobHandler<WorkerServices, 'deliver-webhook'> = async (services, { delivery_id: id }) => {
  const claim = await inTransaction(services.db, (tx) =>
    claimDelivery(tx, id, services.clock.now(), services.config.deadlines.webhookClaim),
  );
  if (typeof claim === 'string') return { skipped: claim };
  const { background } = services;
  const posting = deliver(services, claim);
  if (background.size >= MAX_IN_BACKGROUND) return posting;
  const late = new AbortController();
  const isLate = sleep(JOB_WAITS_MS, { in_background: true }, { signal: late.signal }).catch(() => ({}));
  const ended = posting.finally(() => late.abort());
  const first = await Promise.race([ended, isLate]);
  if ('in_background' in first) background.add(ended);
  return first;
};

async function deliver(services: WorkerServices, claim: Claim): Promise<object> {
  const { db, jobs, clock, webhookSender, background } = services;
  try {
    const outcome = await webhookSender.post(claim, clock.now(), background.signal);
    await inTransaction(db, (tx) => recordDeliveryOutcome(tx, jobs, claim, outcome, clock.now()));
    return { status_code: outcome.statusCode, error: outcome.error, duration_ms: outcome.durationMs };
  } catch (error) {
    if (!background.signal.aborted) throw error;
    await inTransaction(db, (tx) => releaseDelivery(tx, jobs, claim));
    return { released: true };
  }
}
