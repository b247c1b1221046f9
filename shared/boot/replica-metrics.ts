import { Counter, Gauge, type Registry } from 'prom-client';
import type { Replicas } from '../../db/replicas.ts';

/**
 * `quayside_db_standby_lag_seconds{standby}`, `quayside_db_standby_serving{standby}`, `quayside_db_reads_total{target}` and
 * `quayside_db_reads_repeated_total`, of replicas that count by themselves.
 */
export function registerReplicas(registry: Registry, { report, counts }: Pick<Replicas, 'report' | 'counts'>): void {
  new Gauge({
    name: 'quayside_db_standby_lag_seconds',
    help: 'For how long the primary has been where a standby is not yet, as the process sees it that is furthest from it.',
    labelNames: ['standby'] as const,
    aggregator: 'max',
    registers: [registry],
    collect() {
      for (const { name, lagSeconds } of report()) this.set({ standby: name }, lagSeconds);
    },
  });
  new Gauge({
    name: 'quayside_db_standby_serving',
    help: 'Whether every API process reads from a standby (1), or one leaves it alone (0).',
    labelNames: ['standby'] as const,
    aggregator: 'min',
    registers: [registry],
    collect() {
      for (const { name, state } of report()) this.set({ standby: name }, Number(state === 'serving'));
    },
  });
  new Counter({
    name: 'quayside_db_reads_total',
    help: 'Reads for nobody in particular by where they were answered: the primary, or a standby.',
    labelNames: ['target'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const [target, reads] of counts().reads) this.inc({ target }, reads);
    },
  });
  new Counter({
    name: 'quayside_db_reads_repeated_total',
    help: 'Reads that a standby did not answer and that were repeated on the primary.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(counts().repeated);
    },
  });
}
