import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS, type Clock } from '../shared/clock.ts';
import type { Pace } from './rate.ts';
import type { RobotsStore } from './robots.ts';

/** A pace that holds over all processes and survives them: the next turn of each host is a row of `crawl_hosts`. */
export function createSharedPace(pool: Pool, clock: Clock): Pace {
  return {
    async takeTurn(host, intervalMs) {
      const now = clock.now();
      const { rows } = await pool.query<{ at: Date }>({
        name: 'crawl-turn',
        text: `insert into crawl_hosts as h (host, next_request_at) values ($1, $2::timestamptz + $3 * interval '1 millisecond')
               on conflict (host) do update
               set next_request_at = greatest(h.next_request_at, h.backoff_until, $2) + $3 * interval '1 millisecond'
               returning next_request_at - $3 * interval '1 millisecond' as at`,
        values: [host, now, intervalMs],
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
