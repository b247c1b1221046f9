import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS, type Clock } from '../shared/clock.ts';
import { MOST_VISITS, type Pace } from './rate.ts';
import type { RobotsStore } from './robots.ts';

/** More than a page may take: a visit that is older belongs to a process that was lost. */
const LONGEST_VISIT_MS = 40_000;

/** A pace that holds over all processes and survives them: the next turn of each host is a row of `crawl_hosts`. */
export function createSharedPace(pool: Pool, clock: Clock): Pace {
  return {
    async takeTurn(host, intervalMs, count = 1) {
      const now = clock.now();
      const { rows } = await pool.query<{ at: Date }>({
        name: 'crawl-turn',
        text: `insert into crawl_hosts as h (host, next_request_at) values ($1, $2::timestamptz + $3 * interval '1 millisecond')
               on conflict (host) do update
               set next_request_at = greatest(h.next_request_at, h.backoff_until, $2) + $3 * interval '1 millisecond'
               returning next_request_at - $3 * interval '1 millisecond' as at`,
        values: [host, now, count * intervalMs],
      });
      return Math.max(0, (rows[0]?.at.getTime() ?? 0) - now.getTime());
    },
    async rest(host, milliseconds) {
      const now = clock.now();
      await pool.query({
        name: 'crawl-rest',
        text: `insert into crawl_hosts as h (host, next_request_at, backoff_until) values ($1, $2, $3)
               on conflict (host) do update set backoff_until = greatest(h.backoff_until, excluded.backoff_until)`,
        values: [host, now, addMilliseconds(now, milliseconds)],
      });
    },
    async enter(host) {
      const now = clock.now();
      const visit = randomUUID();
      const { rowCount } = await pool.query({
        name: 'crawl-enter',
        text: `insert into crawl_hosts as h (host, next_request_at, visits) values ($1, $2, jsonb_build_object($3::text, $5::bigint))
               on conflict (host) do update
               set visits = coalesce((select jsonb_object_agg(key, value) from jsonb_each(h.visits) where value::bigint > $4::bigint), '{}')
                            || excluded.visits
               where (select count(*) from jsonb_each(h.visits) where value::bigint > $4::bigint) < $6::int`,
        values: [host, now, visit, now.getTime(), now.getTime() + LONGEST_VISIT_MS, MOST_VISITS],
      });
      return rowCount === 0 ? undefined : visit;
    },
    async leave(host, visit) {
      await pool.query({
        name: 'crawl-leave',
        text: 'update crawl_hosts set visits = visits - $2::text where host = $1',
        values: [host, visit],
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
