import type { DeliveryRow } from '../../shared/webhooks/deliveries.ts';
import type { WebhookRow } from '../../shared/webhooks/subscriptions.ts';
import type { Result } from '../http/types.ts';

type Webhook = Result<'getWebhook', 200>;
type Delivery = Result<'retryWebhookDelivery', 202>;

/** The columns of a webhook that its owner is shown again. */
export const shownColumns = [
  'id',
  'url',
  'events',
  'scope',
  'description',
  'active',
  'created_at',
  'last_delivery_at',
  'failing_since',
] as const satisfies (keyof WebhookRow)[];

/** A webhook as its owner sees it: without its secrets. */
export function presentWebhook(row: Pick<WebhookRow, (typeof shownColumns)[number]>): Webhook {
  const { id, url, events, description, active } = row;
  return {
    id,
    url,
    events,
    scope: row.scope as Webhook['scope'],
    description,
    active,
    created_at: row.created_at.toISOString(),
    last_delivery_at: row.last_delivery_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
  };
}

/** One entry of the log of deliveries. */
export function presentDelivery(row: DeliveryRow): Delivery {
  const { id, event_type, attempts, status_code, error, duration_ms } = row;
  return {
    id,
    event_type,
    payload: row.payload as Delivery['payload'],
    status: row.status as Delivery['status'],
    attempts,
    status_code,
    error,
    duration_ms,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    delivered_at: row.delivered_at?.toISOString() ?? null,
  };
}
