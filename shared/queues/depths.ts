import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { readQueueDepths } from './inspect.ts';

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
