import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS, type Clock } from '../../shared/kit/clock.ts';
import { MAX_PERMITS, type Pace } from './pace.ts';
import type { RobotsStore } from './robots.ts';

/** More than a page may take: a permit that is older belongs to a process that was lost. */
const MAX_PERMIT_MS = 40_000;

/** A pace that holds over all processes and survives them: the next slot of each host is a row of `crawl_hosts`. */
export function createSharedPace(pool: Pool, clock: Clock): Pace {
  return {
    async reserveSlot(host, intervalMs, count) {
      const now = clock.now();
      const { rows } = await pool.query<{ at: Date }>({
        name: 'crawl-reserve-slot',
        text: `insert into crawl_hosts as h (host, next_request_at, last_request_at)
               values ($1, $2::timestamptz + $4::int * $3::float8 * interval '1 millisecond',
                       $2::timestamptz + ($4::int - 1) * $3::float8 * interval '1 millisecond')
               on conflict (host) do update set (next_request_at, last_request_at) = (
                 select slot + $4::int * $3::float8 * interval '1 millisecond', slot + ($4::int - 1) * $3::float8 * interval '1 millisecond'
                 from greatest($2, h.next_request_at, h.last_request_at + $3::float8 * interval '1 millisecond', h.backoff_until) as slot)
               returning last_request_at - ($4::int - 1) * $3::float8 * interval '1 millisecond' as at`,
        values: [host, now, intervalMs, count],
      });
      return Math.max(0, rows[0]!.at.getTime() - now.getTime());
    },
    async backOff(host, milliseconds) {
      const now = clock.now();
      await pool.query({
        name: 'crawl-back-off',
        text: `insert into crawl_hosts as h (host, next_request_at, backoff_until) values ($1, $2, $3)
               on conflict (host) do update set backoff_until = greatest(h.backoff_until, excluded.backoff_until)`,
        values: [host, now, addMilliseconds(now, milliseconds)],
      });
    },
    async acquire(host) {
      const now = clock.now();
      const permit = randomUUID();
      const { rowCount } = await pool.query({
        name: 'crawl-acquire',
        text: `insert into crawl_hosts as h (host, next_request_at, visits) values ($1, $2, jsonb_build_object($3::text, $5::bigint))
               on conflict (host) do update
               set visits = coalesce((select jsonb_object_agg(key, value) from jsonb_each(h.visits) where value::bigint > $4::bigint), '{}')
                            || excluded.visits
               where (select count(*) from jsonb_each(h.visits) where value::bigint > $4::bigint) < $6::int
                 and coalesce(h.backoff_until <= $2, true)`,
        values: [host, now, permit, now.getTime(), now.getTime() + MAX_PERMIT_MS, MAX_PERMITS],
      });
      return rowCount === 0 ? undefined : permit;
    },
    async release(host, permit) {
      await pool.query({
        name: 'crawl-release',
        text: 'update crawl_hosts set visits = visits - $2::text where host = $1',
        values: [host, permit],
      });
    },
  };
}

/** The robots.txt of every host visited, kept for a day. */
export function createSharedRobots(pool: Pool, clock: Clock): RobotsStore {
  return {
    async read(host) {
      const { rows } = await pool.query<{ robots: string | null }>({
        name: 'crawl-robots',
        text: 'select robots from crawl_hosts where host = $1 and robots_fetched_at > $2',
        values: [host, addMilliseconds(clock.now(), -DAY_MS)],
      });
      return rows[0]?.robots ?? undefined;
    },
    async write(host, text) {
      await pool.query(
        `insert into crawl_hosts (host, next_request_at, robots, robots_fetched_at) values ($1, $2, $3, $2)
         on conflict (host) do update set robots = excluded.robots, robots_fetched_at = excluded.robots_fetched_at`,
        [host, clock.now(), text.replaceAll('\0', '')],
      );
    },
  };
}
