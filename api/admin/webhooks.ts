import { inTransaction, type Database } from '../../db/client.ts';
import { notFound } from '../../shared/kit/errors.ts';
import { maskSecrets } from '../../shared/queues/mask-secrets.ts';
import { findWebhooks, type FoundWebhook } from '../../shared/webhooks/all-webhooks.ts';
import { findDeliveries, redeliver } from '../../shared/webhooks/deliveries.ts';
import { changeWebhook, lockWebhook } from '../../shared/webhooks/subscriptions.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import { presentDelivery } from '../webhooks/present.ts';

type Webhook = Result<'getAnyWebhook', 200>;
type Delivery = Result<'redeliverAny', 202>;

/** Everybody's webhooks, those that fail first, one page of them. */
export const listAllWebhooks: Handler<'listAllWebhooks'> = async ({ db, clock }, { query }) => {
  const { q, state, page = 1, limit = 20 } = query;
  const { rows, total } = await findWebhooks(db, { q, state }, { offset: (page - 1) * limit, limit, now: clock.now() });
  return { status: 200, body: { results: rows.map(presentAnyWebhook), pagination: paginationOf(page, limit, total) } };
};

/** Anybody's webhook. */
export const getAnyWebhook: Handler<'getAnyWebhook'> = async ({ db, clock }, { params }) => ({
  status: 200,
  body: await readWebhook(db, params.id, clock.now()),
});

/** Switches anybody's webhook off, which ends what waits, or on. */
export const switchAnyWebhook: Handler<'switchAnyWebhook'> = async ({ db, clock }, { params, body }) => {
  const webhook = await inTransaction(db, async (tx) => {
    await changeWebhook(tx, await lockWebhook(tx, params.id), { active: body.active }, clock.now());
    return readWebhook(tx, params.id, clock.now());
  });
  return { status: 200, body: webhook };
};

/** One page of what was posted to anybody's webhook, newest first. */
export const listAnyWebhookDeliveries: Handler<'listAnyWebhookDeliveries'> = async (
  { db, clock },
  { params, query },
) => {
  const { page = 1, limit = 20, status } = query;
  const { id: webhookId } = await readWebhook(db, params.id, clock.now());
  const { rows, total } = await findDeliveries(db, { webhookId, status, offset: (page - 1) * limit, limit });
  const results = rows.map((row) => withoutSecrets(presentDelivery(row)));
  return { status: 200, body: { results, pagination: paginationOf(page, limit, total) } };
};

/** Posts a delivery of anybody's webhook once more. */
export const redeliverAny: Handler<'redeliverAny'> = async ({ db, jobs, clock }, { params }) => {
  const waiting = await inTransaction(db, async (tx) =>
    redeliver(tx, jobs, await lockWebhook(tx, params.id), params.deliveryId, clock.now()),
  );
  return { status: 202, body: withoutSecrets(presentDelivery(waiting)) };
};

const withoutSecrets = (delivery: Delivery): Delivery => ({
  ...delivery,
  payload: maskSecrets(delivery.payload) as Delivery['payload'],
});

async function readWebhook(db: Database, id: string, now: Date): Promise<Webhook> {
  const { rows } = await findWebhooks(db, { id }, { offset: 0, limit: 1, now });
  if (!rows[0]) throw notFound('webhook', id);
  return presentAnyWebhook(rows[0]);
}

const presentAnyWebhook = (row: FoundWebhook): Webhook => ({
  ...row,
  scope: row.scope as Webhook['scope'],
  created_at: row.created_at.toISOString(),
  last_delivery_at: row.last_delivery_at?.toISOString() ?? null,
  failing_since: row.failing_since?.toISOString() ?? null,
});
