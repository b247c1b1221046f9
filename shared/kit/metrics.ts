import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type MetricObject,
} from 'prom-client';
import type { Logger } from './log.ts';
import { VERSION } from './version.ts';

const PUBLISH_EVERY_MS = 5_000;
/** A process that has told nothing of itself for so long is gone. */
export const DEAD_AFTER_SECONDS = 30;

/** A registry for one process, with Node's own metrics; every series names its process (api, workers, scrapers). */
export function createRegistry(process: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  // Gauges with the ending of counters; their sums by type stand in nodejs_active_resources and the like.
  for (const name of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${name}_total`);
  new Gauge({
    name: 'quayside_build_info',
    help: 'Always 1; its labels say which version of the service and of Node a process runs.',
    labelNames: ['version', 'node_version'] as const,
    registers: [registry],
    aggregator: 'first',
  }).set({ version: VERSION, node_version: globalThis.process.version }, 1);
  return registry;
}

/** Job metrics: `quayside_jobs_total{queue,outcome}`, `quayside_job_duration_seconds{queue}`, `quayside_job_wait_seconds{queue}`. */
export function createJobMetrics(registry: Registry) {
  const total = new Counter({
    name: 'quayside_jobs_total',
    help: 'Jobs worked, by queue and outcome (completed, failed, deadletter).',
    labelNames: ['queue', 'outcome'] as const,
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'quayside_job_duration_seconds',
    help: 'Time a job took, by queue.',
    labelNames: ['queue'] as const,
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800],
    registers: [registry],
  });
  const wait = new Histogram({
    name: 'quayside_job_wait_seconds',
    help: 'Time a job waited for a worker after it was due, by queue.',
    labelNames: ['queue'] as const,
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800],
    registers: [registry],
  });
  return {
    observe(queue: string, outcome: string, durationSeconds: number, waitSeconds: number): void {
      total.inc({ queue, outcome });
      duration.observe({ queue }, durationSeconds);
      wait.observe({ queue }, waitSeconds);
    },
  };
}

export type JobMetrics = ReturnType<typeof createJobMetrics>;

/**
 * Shares a process's metrics through the database every five seconds, so that one scrape of any API process covers the
 * fleet. The row of a process that has ended keeps its counters, so that totals never fall.
 */
export function publishMetrics(pool: Pool, registry: Registry, process: string, log: Logger) {
  const processId = `${process}-${randomUUID()}`;
  const publish = async () => {
    await pool.query(
      `insert into process_metrics (process_id, process, metrics, updated_at) values ($1, $2, $3, now())
       on conflict (process_id) do update set metrics = excluded.metrics, updated_at = excluded.updated_at`,
      [processId, process, JSON.stringify(await registry.getMetricsAsJSON())],
    );
  };
  const tick = () => publish().catch((error: unknown) => log.warn({ err: error }, 'metrics could not be shared'));
  const timer = setInterval(() => void tick(), PUBLISH_EVERY_MS);
  timer.unref();
  return {
    processId,
    async stop(): Promise<void> {
      clearInterval(timer);
      await tick();
    },
  };
}

/** The text exposition of the whole fleet: its database and this process as they are now, the others as they last told. */
export async function renderFleetMetrics({
  pool,
  registry,
  fleetRegistry,
  processId,
}: {
  pool: Pool;
  registry: Registry;
  fleetRegistry: Registry;
  processId: string;
}): Promise<string> {
  const { rows } = await pool.query<{ metrics: MetricObject[]; alive: boolean }>(
    `select metrics, updated_at > now() - make_interval(secs => $2) as alive from process_metrics where process_id <> $1`,
    [processId, DEAD_AFTER_SECONDS],
  );
  const others = rows.map(({ metrics, alive }) => (alive ? metrics : metrics.filter((metric) => isCumulative(metric))));
  const own = await Promise.all([registry.getMetricsAsJSON(), fleetRegistry.getMetricsAsJSON()]);
  return AggregatorRegistry.aggregate([...own, ...others]).metrics();
}

/** Counters and histograms of a process that has ended still count; its gauges tell nothing any more. */
function isCumulative(metric: MetricObject): boolean {
  const type = String(metric.type);
  return type === 'counter' || type === 'histogram';
}
