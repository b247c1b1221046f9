import { dayOf } from '../../shared/kit/clock.ts';
import type { Pool } from 'pg';
import type { Logger } from '../../shared/kit/log.ts';
import { keyOf, type TrackedEvent } from '../../shared/tracking/tracked-event.ts';
import { writeInBatches } from '../counting/batches.ts';

const MAX_WAITING = 5_000;

/**
 * Stores what front ends report in batches, never in the request's own path: a crash loses a second of it, and what comes
 * faster than it can be written is dropped.
 */
export function createTracker(pool: Pool, log: Logger) {
  let waiting: TrackedEvent[] = [];

  async function flushWaiting(): Promise<boolean> {
    if (waiting.length === 0) return true;
    const batch = waiting;
    waiting = [];
    try {
      await storeEvents(pool, batch);
      return true;
    } catch (error) {
      waiting = [...batch, ...waiting].slice(0, MAX_WAITING);
      log.warn({ err: error, events: batch.length }, 'tracked events could not be stored yet');
      return false;
    }
  }

  return {
    note(event: TrackedEvent): void {
      if (waiting.length < MAX_WAITING) waiting.push(event);
    },
    ...writeInBatches(flushWaiting),
  };
}

export type Tracker = ReturnType<typeof createTracker>;

/** Each event as a row, and one more in the counts of its day: of all of its kind, and of those about the same. */
async function storeEvents(pool: Pool, batch: TrackedEvent[]): Promise<void> {
  const counts = new Map<string, { day: string; event: string; key: string; n: number }>();
  for (const each of batch) {
    const day = dayOf(each.created_at);
    for (const key of new Set(['', keyOf(each) ?? ''])) {
      const name = `${day} ${each.event} ${key}`;
      const { n } = counts.get(name) ?? { n: 0 };
      counts.set(name, { day, event: each.event, key, n: n + 1 });
    }
  }
  const days = [...counts.values()];
  await pool.query({
    name: 'track-events',
    text: `with stored as (
             insert into tracked_events
               (event, path, referrer, user_agent, user_id, listing_id, query, results_count, metadata, created_at)
             select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[],
               $9::jsonb[], $10::timestamptz[]))
           insert into tracked_days as d (day, event, key, n)
           select day, event, key, n from unnest($11::date[], $12::text[], $13::text[], $14::int[]) as t (day, event, key, n)
           order by day, event, key collate "C"
           on conflict (day, event, key) do update set n = d.n + excluded.n`,
    values: [
      batch.map(({ event }) => event),
      batch.map(({ path }) => path),
      batch.map(({ referrer }) => referrer),
      batch.map((each) => each.user_agent),
      batch.map((each) => each.user_id),
      batch.map((each) => each.listing_id),
      batch.map(({ query }) => query),
      batch.map((each) => each.results_count),
      batch.map(({ metadata }) => metadata),
      batch.map((each) => each.created_at),
      days.map(({ day }) => day),
      days.map(({ event }) => event),
      days.map(({ key }) => key),
      days.map(({ n }) => n),
    ],
  });
}
