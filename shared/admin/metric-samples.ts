import type { Pool } from 'pg';
import { z } from 'zod';
import { addMilliseconds, DAY_MS, MINUTE_MS } from '../kit/clock.ts';
import { readQueueDepths } from '../queues/inspect.ts';

/** Samples are kept for every minute of the last two days, and for every hour of the last 90. */
const MINUTES_KEPT_MS = 2 * DAY_MS;
const HOURS_KEPT_MS = 90 * DAY_MS;

const shared = z.array(
  z.object({
    name: z.string(),
    values: z.array(
      z.object({
        value: z.number(),
        metricName: z.string().optional(),
        labels: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
    ),
  }),
);

/** Counters of the fleet since its processes began, over all processes: `durationBuckets` as Prometheus has them, by `le`. */
export type FleetCounters = {
  requests: number;
  errors: number;
  durationBuckets: Record<string, number>;
  jobsDone: number;
  jobsFailed: number;
};

/** Adds up what the processes of a fleet have shared of themselves. */
export function sumCounters(processes: readonly unknown[]): FleetCounters {
  const sum: FleetCounters = { requests: 0, errors: 0, durationBuckets: {}, jobsDone: 0, jobsFailed: 0 };
  for (const metrics of processes) {
    const { data = [] } = shared.safeParse(metrics);
    for (const { name, values } of data)
      for (const { value, labels, metricName } of values) {
        if (name === 'quayside_http_requests_total') {
          sum.requests += value;
          if (Number(labels['status']) >= 500) sum.errors += value;
        } else if (metricName === 'quayside_http_request_duration_seconds_bucket') {
          const le = String(labels['le']);
          sum.durationBuckets[le] = (sum.durationBuckets[le] ?? 0) + value;
        } else if (name === 'quayside_jobs_total') {
          if (labels['outcome'] === 'completed') sum.jobsDone += value;
          else sum.jobsFailed += value;
        }
      }
  }
  return sum;
}

/**
 * Writes the sample of this minute, once however often it is asked for, and drops those that are too old. What was published and sold
 * is counted on from the sample before.
 */
export async function writeMetricSample(pool: Pool, now: Date): Promise<{ sampled: boolean }> {
  const at = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
  // Names alone: a process shares some 600 kB of series, of which three are read.
  const { rows } = await pool.query<{ metrics: unknown }>(
    `select (select coalesce(jsonb_agg(m), '[]') from jsonb_array_elements(metrics) m
             where m ->> 'name' in ('quayside_http_requests_total', 'quayside_http_request_duration_seconds', 'quayside_jobs_total')) as metrics
     from process_metrics`,
  );
  const { requests, errors, durationBuckets, jobsDone, jobsFailed } = sumCounters(rows.map(({ metrics }) => metrics));
  const depths = await readQueueDepths(pool);
  const queued = depths.reduce((sum, queue) => sum + queue.queued, 0);
  const dead = depths.reduce((sum, queue) => sum + queue.dead, 0);
  const { rowCount } = await pool.query(
    `with before as (select at, published, sold from metric_samples where at < $1 order by at desc limit 1),
       since as (
         select count(*) filter (where type = 'listing.published') as published, count(*) filter (where type = 'listing.sold') as sold
         from events where created_at >= coalesce((select at from before), $1) and created_at < $1
           and type in ('listing.published', 'listing.sold'))
     insert into metric_samples (at, requests, errors, duration_buckets, jobs_done, jobs_failed, queued, dead, published, sold)
     select $1, $2, $3, $4, $5, $6, $7, $8, since.published + coalesce((select published from before), 0),
       since.sold + coalesce((select sold from before), 0) from since
     on conflict (at) do nothing`,
    [at, requests, errors, JSON.stringify(durationBuckets), jobsDone, jobsFailed, queued, dead],
  );
  await pool.query(`delete from metric_samples where at < $1 or (at < $2 and extract(minute from at) <> 0)`, [
    addMilliseconds(at, -HOURS_KEPT_MS),
    addMilliseconds(at, -MINUTES_KEPT_MS),
  ]);
  return { sampled: rowCount === 1 };
}
