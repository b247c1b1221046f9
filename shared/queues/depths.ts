import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { deadLetterOf, queueNames, type QueueName } from './queues.ts';

export type QueueDepth = { name: QueueName; queued: number; active: number; failed: number; dead: number };

/** How many jobs each queue holds at this moment: waiting (retries included), active, failed for good, and dead-lettered. */
export async function readQueueDepths(pool: Pool): Promise<QueueDepth[]> {
  const { rows } = await pool.query<{ name: string; queued: number; active: number; failed: number }>({
    name: 'queue-depths',
    text: `select name,
             count(*) filter (where state in ('created', 'retry'))::int as queued,
             count(*) filter (where state = 'active')::int as active,
             count(*) filter (where state = 'failed')::int as failed
           from pgboss.job where state in ('created', 'retry', 'active', 'failed') group by name`,
  });
  const found = new Map(rows.map((row) => [row.name, row]));
  return queueNames.map((name) => {
    const { queued = 0, active = 0, failed = 0 } = found.get(name) ?? {};
    return { name, queued, active, failed, dead: found.get(deadLetterOf(name))?.queued ?? 0 };
  });
}

/** `job_queue_depth{queue,state}`, read from the database when it is scraped. */
export function registerQueueDepths(registry: Registry, pool: Pool): void {
  new Gauge({
    name: 'job_queue_depth',
    help: 'Jobs a queue holds, by state (queued, active, failed, dead).',
    labelNames: ['queue', 'state'] as const,
    registers: [registry],
    async collect() {
      for (const { name, ...depths } of await readQueueDepths(pool)) {
        for (const [state, count] of Object.entries(depths)) this.set({ queue: name, state }, count);
      }
    },
  });
}
