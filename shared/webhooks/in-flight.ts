import type { Jobs, Tx } from '../queues/jobs.ts';

/** How many deliveries of one webhook are posted at once, and of one whose last delivery failed. */
const MAX_IN_FLIGHT = 4;
const MAX_WHILE_FAILING = 1;

/** How many more deliveries of a webhook, whose row is locked, may be posted now. */
export async function countFreeSlots(tx: Tx, webhookId: string, failingSince: Date | null, now: Date): Promise<number> {
  const { count } = await tx
    .selectFrom('webhook_deliveries')
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('count'))
    .where('webhook_id', '=', webhookId)
    .where('claimed_until', '>', now)
    .executeTakeFirstOrThrow();
  return Math.max(0, (failingSince ? MAX_WHILE_FAILING : MAX_IN_FLIGHT) - count);
}

/** Wakes those deliveries of a webhook that have waited longest for others to settle. */
export async function resumeParkedDeliveries(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueueAll'>,
  webhookId: string,
  most: number,
): Promise<void> {
  if (most === 0) return;
  const woken = await tx
    .updateTable('webhook_deliveries')
    .set({ parked: false })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('webhook_id', '=', webhookId)
        .where('parked', '=', true)
        .orderBy('id')
        .limit(most),
    )
    .returning('id')
    .execute();
  await jobs.enqueueAll(
    tx,
    'deliver-webhook',
    woken.map(({ id }) => ({ payload: { delivery_id: id } })),
  );
}
