import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS, HOUR_MS, MINUTE_MS } from '../kit/clock.ts';

/** How far a series reaches back, and how far its points are apart. */
export const seriesRanges = {
  hour: { spanMs: HOUR_MS, stepMs: MINUTE_MS },
  day: { spanMs: DAY_MS, stepMs: 5 * MINUTE_MS },
  week: { spanMs: 7 * DAY_MS, stepMs: HOUR_MS },
  month: { spanMs: 30 * DAY_MS, stepMs: 6 * HOUR_MS },
} as const;
export type SeriesRange = keyof typeof seriesRanges;

type Sample = {
  at: Date;
  requests: number;
  errors: number;
  duration_buckets: Record<string, number>;
  jobs_done: number;
  jobs_failed: number;
  queued: number;
  dead: number;
  published: number;
  sold: number;
};

export type SeriesPoint = {
  at: Date;
  requests_per_second: number | null;
  errors_per_second: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
  jobs_per_minute: number | null;
  failed_jobs_per_minute: number | null;
  queued: number;
  dead: number;
  published: number | null;
  sold: number | null;
};

/**
 * Rates between the first samples of neighbouring steps, like Prometheus' rate(): a counter that fell, because what a process had
 * counted was purged, gives null for that step. Percentiles are linear within the buckets of the histogram.
 */
export async function readTimeSeries(pool: Pool, range: SeriesRange, now: Date): Promise<SeriesPoint[]> {
  const { spanMs, stepMs } = seriesRanges[range];
  const { rows } = await pool.query<Sample>({
    name: 'metric-samples',
    text: `select distinct on (date_bin($2::float8 * interval '1 millisecond', at, 'epoch'))
             at, requests, errors, duration_buckets, jobs_done, jobs_failed, queued, dead, published::float8, sold::float8
           from metric_samples where at >= $1
           order by date_bin($2::float8 * interval '1 millisecond', at, 'epoch'), at`,
    values: [addMilliseconds(now, -spanMs - stepMs), stepMs],
  });
  return rows.slice(1).map((sample, index) => pointBetween(rows[index]!, sample));
}

function pointBetween(before: Sample, sample: Sample): SeriesPoint {
  const seconds = (sample.at.getTime() - before.at.getTime()) / 1_000;
  const grown = (name: 'requests' | 'errors' | 'jobs_done' | 'jobs_failed' | 'published' | 'sold') => {
    const difference = sample[name] - before[name];
    return difference < 0 ? null : difference;
  };
  const per = (value: number | null, unitSeconds: number) => (value === null ? null : (value * unitSeconds) / seconds);
  const buckets = bucketsBetween(before.duration_buckets, sample.duration_buckets);
  return {
    at: sample.at,
    requests_per_second: per(grown('requests'), 1),
    errors_per_second: per(grown('errors'), 1),
    p50_ms: quantileOf(buckets, 0.5),
    p95_ms: quantileOf(buckets, 0.95),
    jobs_per_minute: per(grown('jobs_done'), 60),
    failed_jobs_per_minute: per(grown('jobs_failed'), 60),
    queued: sample.queued,
    dead: sample.dead,
    published: grown('published'),
    sold: grown('sold'),
  };
}

type Bucket = { upTo: number; count: number };

function bucketsBetween(before: Record<string, number>, after: Record<string, number>): Bucket[] {
  return Object.entries(after)
    .map(([le, count]) => ({ upTo: le === '+Inf' ? Infinity : Number(le), count: count - (before[le] ?? 0) }))
    .toSorted((a, b) => a.upTo - b.upTo);
}

/** The value below which that share of the observations lie, in milliseconds; null without any. */
export function quantileOf(buckets: readonly Bucket[], share: number): number | null {
  const total = buckets.at(-1)?.count ?? 0;
  if (total <= 0) return null;
  const wanted = share * total;
  const at = buckets.findIndex(({ count }) => count >= wanted);
  const bucket = buckets[at];
  const below = buckets[at - 1] ?? { upTo: 0, count: 0 };
  if (!bucket) return null;
  // Of what is beyond the last bound, no more is known than that.
  if (bucket.upTo === Infinity) return below.upTo * 1_000;
  const part = bucket.count === below.count ? 1 : (wanted - below.count) / (bucket.count - below.count);
  return (below.upTo + (bucket.upTo - below.upTo) * part) * 1_000;
}
