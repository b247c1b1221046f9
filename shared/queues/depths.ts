import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { readQueueAges, readQueueDepths } from './inspect.ts';

/** `quayside_job_queue_depth{queue,state}` and `quayside_job_queue_oldest_seconds{queue}`, read from the database when they are scraped. */
export function registerQueues(registry: Registry, pool: Pool): void {
  new Gauge({
    name: 'quayside_job_queue_depth',
    help: 'Jobs a queue holds, by state (queued, active, failed, dead).',
    labelNames: ['queue', 'state'] as const,
    registers: [registry],
    async collect() {
      for (const { name, ...depths } of await readQueueDepths(pool)) {
        for (const [state, count] of Object.entries(depths)) this.set({ queue: name, state }, count);
      }
    },
  });
  new Gauge({
    name: 'quayside_job_queue_oldest_seconds',
    help: 'How long the oldest job of a queue has been due.',
    labelNames: ['queue'] as const,
    registers: [registry],
    async collect() {
      const ages = await readQueueAges(pool);
      this.reset();
      for (const { name, oldest_seconds } of ages) this.set({ queue: name }, oldest_seconds);
    },
  });
}
