import { sql } from 'kysely';
import { addMilliseconds, MINUTE_MS } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';

/** How long a due delivery may wait for its own job before it is given another. */
const OVERDUE_MS = 5 * MINUTE_MS;
const MAX_AT_ONCE = 1_000;

/**
 * Sends jobs for deliveries that would wait for ever: claimed by a process that died, due for minutes, or parked behind
 * others of which none is in flight any more. Answers how many.
 */
export async function resumeDeliveries(tx: Tx, jobs: Pick<Jobs, 'enqueueAll'>, now: Date): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    update webhook_deliveries set parked = false, claimed_until = null
    where id = any(array(
      select id from (
        select d.id from webhook_deliveries d
        where d.status = 'pending' and d.claimed_until <= ${now}
        union
        select d.id from webhook_deliveries d
        where d.status = 'pending' and d.claimed_until is null and not d.parked
          and coalesce(d.next_attempt_at, d.created_at) < ${addMilliseconds(now, -OVERDUE_MS)}
        union
        select min(d.id) from webhook_deliveries d
        where d.parked and not exists (
          select from webhook_deliveries f where f.webhook_id = d.webhook_id and f.claimed_until > ${now})
        group by d.webhook_id) as stuck
      order by id limit ${MAX_AT_ONCE}))
    returning id`.execute(tx);
  await jobs.enqueueAll(
    tx,
    'deliver-webhook',
    rows.map(({ id }) => ({ payload: { delivery_id: id } })),
  );
  return rows.length;
}
