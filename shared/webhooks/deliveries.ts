import { sql, type ExpressionBuilder, type Selectable } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { DB, WebhookDeliveries } from '../../db/types.gen.ts';
import { conflict, notFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Outcome } from './send.ts';
import type { WebhookRow } from './subscriptions.ts';

export type DeliveryRow = Pick<
  Selectable<WebhookDeliveries>,
  | 'id'
  | 'event_type'
  | 'payload'
  | 'status'
  | 'attempts'
  | 'status_code'
  | 'error'
  | 'duration_ms'
  | 'next_attempt_at'
  | 'created_at'
  | 'delivered_at'
>;

const columns = [
  'id',
  'event_type',
  'payload',
  'status',
  'attempts',
  'status_code',
  'error',
  'duration_ms',
  'next_attempt_at',
  'created_at',
  'delivered_at',
] as const;

/** The total is exact up to here, and pages behind it are empty. */
const MAX_DELIVERIES = 50_000;

type Asked = {
  webhookId: string;
  status?: 'pending' | 'delivered' | 'failed' | undefined;
  offset: number;
  limit: number;
};

/** One page of the log of a webhook, newest first, and how many deliveries there are on all pages. */
export async function findDeliveries(
  db: Database,
  { webhookId, status, offset, limit }: Asked,
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const asked = (eb: ExpressionBuilder<DB, 'webhook_deliveries'>) =>
    eb.and({ webhook_id: webhookId, ...(status && { status }) });
  const { total } = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select(sql`1`.as('one'))
        .where(asked)
        .limit(MAX_DELIVERIES)
        .as('counted'),
    )
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('total'))
    .executeTakeFirstOrThrow();
  if (offset >= total) return { rows: [], total };
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select(columns)
    .where(asked)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total };
}

/** Puts a delivery of a locked webhook back to be posted at once, its attempts counted from zero. */
export async function redeliver(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  webhook: WebhookRow,
  id: string,
  now: Date,
): Promise<DeliveryRow> {
  const known = await tx
    .selectFrom('webhook_deliveries')
    .select('claimed_until')
    .where('id', '=', id)
    .where('webhook_id', '=', webhook.id)
    .executeTakeFirst();
  if (!known) throw notFound('delivery', id);
  if (!webhook.active) throw conflict('The webhook is switched off: switch it on first.');
  if (known.claimed_until && known.claimed_until > now) throw conflict('This delivery is being posted right now.');
  const waiting = await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', attempts: 0, next_attempt_at: null, delivered_at: null, claimed_until: null })
    .set({ parked: false })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
  await jobs.enqueue(tx, 'deliver-webhook', { delivery_id: id });
  return waiting;
}

/** The payload of a ping, and the id of its delivery. */
export function createPing(now: Date) {
  const id = newId('webhook_delivery');
  return { id, payload: { id, type: 'ping', created_at: now.toISOString(), data: {} } };
}

/** Keeps a ping in the log, settled; nothing when its webhook was deleted meanwhile. */
export async function recordPing(
  tx: Tx,
  webhookId: string,
  { id, payload }: ReturnType<typeof createPing>,
  { statusCode, error, durationMs }: Outcome,
  times: { startedAt: Date; endedAt: Date },
): Promise<void> {
  const webhook = await tx
    .updateTable('webhooks')
    .set({ last_delivery_at: times.endedAt })
    .where('id', '=', webhookId)
    .returning('id')
    .executeTakeFirst();
  if (!webhook) return;
  await tx
    .insertInto('webhook_deliveries')
    .values({
      id,
      webhook_id: webhookId,
      event_type: payload.type,
      payload: JSON.stringify(payload),
      status: error === null ? 'delivered' : 'failed',
      attempts: 1,
      status_code: statusCode,
      error,
      duration_ms: durationMs,
      created_at: times.startedAt,
      delivered_at: error === null ? times.endedAt : null,
    })
    .execute();
}
