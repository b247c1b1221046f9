import type { Pool } from 'pg';

const TOP = 20;
/** Slower ones are told; the index of slow searches in the database begins here. */
const SLOW_MS = 100;
/** Of searches that were slow once, those that were slowest are looked at. */
const MAX_LOOKED_AT = 200;
const CLASSES = 31;

/** A search that found nothing, as it was typed last. */
export type FailedSearch = { query: string; count: number; lastSeenAt: string };
/** A search that took long: how often it was made, and what 95 % of its answers took at most, in about half powers of two. */
export type SlowSearch = FailedSearch & { p95Ms: number; slowestMs: number };

/** One answer as counts by classes of how long they took: class n ends at the square root of two to the power of n, in milliseconds. */
export function countDuration(ms: number): number[] {
  const index = Math.min(CLASSES - 1, Math.max(0, Math.ceil(2 * Math.log2(Math.max(1, ms)))));
  return [...Array.from({ length: index }, () => 0), 1];
}

/** How long all but so large a share of the answers took at most, in milliseconds. */
export function percentileOf(durations: readonly number[], share: number): number {
  const enough = share * durations.reduce((sum, n) => sum + n, 0);
  let sum = 0;
  const index = durations.findIndex((n) => (sum += n) >= enough && sum > 0);
  return Math.round(2 ** (Math.max(0, index) / 2));
}

/** The searches that found no listing at all since a day, the most frequent first; those of 90 days are known. */
export async function readFailedSearches(pool: Pool, from: string): Promise<FailedSearch[]> {
  const { rows } = await pool.query<{ typed: string; n: number; at: Date }>({
    name: 'failed-searches',
    text: `select (array_agg(coalesce(typed, query) order by asked_at desc nulls last))[1] as typed, sum(misses)::int as n,
        coalesce(max(asked_at), max(day)::timestamp at time zone 'UTC') as at
      from search_queries where day >= $1::date and misses > 0 group by query order by n desc, query limit ${TOP}`,
    values: [from],
  });
  return rows.map(({ typed, n, at }) => ({ query: typed, count: n, lastSeenAt: at.toISOString() }));
}

/** The searches since a day that took a tenth of a second or more, those first that usually take longest. */
export async function readSlowSearches(pool: Pool, from: string): Promise<SlowSearch[]> {
  const { rows } = await pool.query<{ typed: string; n: number; at: Date; slowest: number; durations: number[] }>({
    name: 'slow-searches',
    text: `with slow as (
        select query, max(slowest_ms) as slowest from search_queries where day >= $1::date and slowest_ms >= ${SLOW_MS}
        group by query order by slowest desc, query limit ${MAX_LOOKED_AT}),
      seen as (select q.*, slow.slowest from slow join search_queries q on q.query = slow.query and q.day >= $1::date),
      spread as (
        select query, array_agg(n order by class) as durations from (
          select query, class, sum(n)::int as n from seen cross join lateral unnest(durations) with ordinality as d (n, class)
          group by query, class) as classes group by query)
      select (array_agg(coalesce(typed, query) order by asked_at desc nulls last))[1] as typed, sum(searches)::int as n, max(slowest) as slowest,
        coalesce(max(asked_at), max(day)::timestamp at time zone 'UTC') as at, spread.durations
      from seen join spread using (query) group by query, spread.durations order by query`,
    values: [from],
  });
  return rows
    .map(({ typed, n, at, slowest, durations }) => ({
      query: typed,
      count: n,
      lastSeenAt: at.toISOString(),
      p95Ms: Math.min(percentileOf(durations, 0.95), slowest),
      slowestMs: slowest,
    }))
    .toSorted((a, b) => b.p95Ms - a.p95Ms || b.slowestMs - a.slowestMs)
    .slice(0, TOP);
}
