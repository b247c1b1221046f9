import { sql } from 'kysely';
import type { Clock } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { JournalEntry } from '../journal/reader.ts';
import { isPublicEvent } from '../journal/public-events.ts';

/** The name under which the journal keeps how far webhooks have been told. */
export const webhookReader = 'webhooks';

type Subscription = { webhook_id: string; seq: number };

/**
 * Makes the deliveries of some events, one for each event and active webhook that asked for it, and their jobs. A webhook
 * is told of its owner's events; one of scope `all`, while its owner is an administrator, of everybody's.
 */
export async function dispatchWebhooks(
  { jobs, clock }: { jobs: Pick<Jobs, 'enqueueAll'>; clock: Clock },
  tx: Tx,
  events: JournalEntry[],
): Promise<void> {
  const told = new Map(events.filter(({ type }) => isPublicEvent(type)).map((event) => [event.seq, event]));
  if (told.size === 0) return;
  const subscriptions = await findSubscriptions(tx, [...told.values()]);
  if (subscriptions.length === 0) return;
  const now = clock.now();
  const deliveries = subscriptions.map(({ webhook_id, seq }) => {
    const { type, data, createdAt } = told.get(seq)!;
    const id = newId('webhook_delivery');
    const payload = { id, type, created_at: createdAt.toISOString(), data };
    return { id, webhook_id, event_seq: seq, event_type: type, payload };
  });
  // A restored journal may hand out some events again.
  const { rows: made } = await sql<{ id: string }>`
    insert into webhook_deliveries (id, webhook_id, event_seq, event_type, payload, created_at)
    select id, webhook_id, event_seq, event_type, payload, ${now}
    from jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb)
      as d (id text, webhook_id text, event_seq bigint, event_type text, payload jsonb)
    on conflict (webhook_id, event_seq) do nothing
    returning id`.execute(tx);
  await jobs.enqueueAll(
    tx,
    'deliver-webhook',
    made.map(({ id }) => ({ payload: { delivery_id: id } })),
  );
}

/** Who is to be told of which event. The webhooks are locked against being deleted meanwhile. */
async function findSubscriptions(tx: Tx, events: JournalEntry[]): Promise<Subscription[]> {
  const asked = events.map(({ seq, type, ownerId }) => ({ seq, type, owner_id: ownerId }));
  const { rows } = await sql<Subscription>`
    with event as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as e (seq bigint, type text, owner_id text)),
    candidate as (
      select w.id, w.user_id, w.scope, w.events from webhooks w
      where w.active and w.user_id = any(array(select distinct owner_id from event))
      union
      select w.id, w.user_id, w.scope, w.events from webhooks w
      join users u on u.id = w.user_id and u.role = 'admin' and u.disabled_at is null
      where w.active and w.scope = 'all')
    select w.id as webhook_id, e.seq
    from candidate c
    join event e on e.type = any(c.events) or '*' = any(c.events)
    join webhooks w on w.id = c.id
    where c.scope = 'all' or e.owner_id = c.user_id
    order by e.seq, w.id
    for key share of w`.execute(tx);
  return rows;
}
