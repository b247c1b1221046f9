import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { inTransaction } from '../db/client.ts';
import { FetchError } from '../shared/adapters/fetch-guard.ts';
import { addMilliseconds, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/clock.ts';
import type { JobHandler } from '../shared/job-runner.ts';
import type { Jobs, Tx } from '../shared/jobs.ts';
import type { WorkerServices } from './services.ts';

const TIMEOUT_MS = 10 * SECOND_MS;
const MOST_ANSWER_BYTES = 65_536;
const LONGEST_ERROR = 500;
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

type Delivery = {
  id: string;
  payload: unknown;
  attempts: number;
  webhook_id: string;
  user_id: string;
  url: string;
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Date | null;
};

type Result = { statusCode: number | null; error: string | null; durationMs: number };

/**
 * Posts one delivery to its subscriber, signed as Standard Webhooks has it, without following redirects, and notes the
 * result. After a failure the next try is a job of its own, on the schedule above; the same `webhook-id` lets the
 * subscriber drop what a crash made us send twice. A delivery that is settled, or whose webhook is off, is left alone.
 */
export const deliverWebhook: JobHandler<WorkerServices, 'deliver-webhook'> = async (
  services,
  { delivery_id: id },
  { signal },
) => {
  const delivery = await readDelivery(services, id);
  if (!delivery) return { skipped: 'the delivery is settled, or its webhook is off' };
  const result = await post(services, delivery, signal);
  await noteResult(services, delivery, result);
  return { status_code: result.statusCode, error: result.error, duration_ms: result.durationMs };
};

function readDelivery({ db }: WorkerServices, id: string): Promise<Delivery | undefined> {
  return db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .select([
      'd.id',
      'd.payload',
      'd.attempts',
      'd.webhook_id',
      'w.user_id',
      'w.url',
      'w.secret',
      'w.previous_secret',
      'w.previous_secret_until',
    ])
    .where('d.id', '=', id)
    .where('d.status', '=', 'pending')
    .where('w.active', '=', true)
    .executeTakeFirst();
}

async function post({ fetch, clock }: WorkerServices, delivery: Delivery, signal: AbortSignal): Promise<Result> {
  const body = JSON.stringify(delivery.payload);
  const startedAt = performance.now();
  const end = (statusCode: number | null, error: string | null): Result => ({
    statusCode,
    error,
    durationMs: Math.round(performance.now() - startedAt),
  });
  try {
    const { status } = await fetch.fetch(delivery.url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...sign(delivery, body, clock.now()) },
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MOST_ANSWER_BYTES,
      maxRedirects: 0,
    });
    return status >= 200 && status < 300 ? end(status, null) : end(status, `The server answered ${status}.`);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return end(null, error.message.slice(0, LONGEST_ERROR));
  }
}

/** While a secret is being replaced, both sign. */
function sign(delivery: Delivery, body: string, now: Date): Record<string, string> {
  const { previous_secret: previous, previous_secret_until: until } = delivery;
  const secrets = [delivery.secret, ...(previous !== null && until !== null && until > now ? [previous] : [])];
  return {
    'webhook-id': delivery.id,
    'webhook-timestamp': String(Math.floor(now.getTime() / SECOND_MS)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(delivery.id, now, body)).join(' '),
  };
}

async function noteResult({ db, jobs, clock }: WorkerServices, delivery: Delivery, result: Result): Promise<void> {
  const now = clock.now();
  const delivered = result.error === null;
  const waitMs = delivered ? undefined : RETRY_AFTER_MS[delivery.attempts];
  const nextAttemptAt = waitMs === undefined ? null : addMilliseconds(now, waitMs);
  await inTransaction(db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('webhook_deliveries')
      .set({
        status: delivered ? 'delivered' : nextAttemptAt ? 'pending' : 'failed',
        attempts: delivery.attempts + 1,
        status_code: result.statusCode,
        error: result.error,
        duration_ms: result.durationMs,
        next_attempt_at: nextAttemptAt,
        delivered_at: delivered ? now : null,
      })
      .where('id', '=', delivery.id)
      .where('status', '=', 'pending')
      .where('attempts', '=', delivery.attempts)
      .executeTakeFirst();
    // An overlapping try of the same job was faster: its note and its next job stand.
    if (numUpdatedRows === 0n) return;
    const isOn = await noteInWebhook(tx, jobs, delivery, delivered, now);
    if (isOn && nextAttemptAt)
      await jobs.enqueue(tx, 'deliver-webhook', { delivery_id: delivery.id }, { startAfter: nextAttemptAt });
  });
}

/** Keeps since when a webhook fails, and switches it off when that is too long ago; true while it is on. */
async function noteInWebhook(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  delivery: Delivery,
  delivered: boolean,
  now: Date,
): Promise<boolean> {
  const webhook = await tx
    .updateTable('webhooks')
    .set({ last_delivery_at: now, failing_since: delivered ? null : sql`coalesce(failing_since, ${now})` })
    .where('id', '=', delivery.webhook_id)
    .where('active', '=', true)
    .returning('failing_since')
    .executeTakeFirst();
  const since = webhook?.failing_since;
  if (!since || now.getTime() - since.getTime() < PATIENCE_MS) return webhook !== undefined;
  await tx.updateTable('webhooks').set({ active: false }).where('id', '=', delivery.webhook_id).execute();
  await jobs.enqueue(tx, 'send-email', {
    message_id: `webhook-disabled.${delivery.webhook_id}.${since.getTime()}`,
    template: 'webhook-disabled',
    user_id: delivery.user_id,
    data: { url: delivery.url, failing_since: since.toISOString() },
  });
  return false;
}
