import { AsyncLocalStorage } from 'node:async_hooks';
import { addMilliseconds, DAY_MS, HOUR_MS, type Clock } from '../../shared/kit/clock.ts';

/** A clock that work may be done at another time of: whatever runs within `at`, also later and in parallel, finds that time. */
export type MovableClock = Clock & { at<T>(when: Date, work: () => T): T };

export function createMovableClock(present: Clock): MovableClock {
  const moments = new AsyncLocalStorage<Date>();
  return { now: () => moments.getStore() ?? present.now(), at: (when, work) => moments.run(when, work) };
}

/** The days of the demo: today, and 29 before it. */
export const DAYS = 30;

/** The time at an hour of the day that many days ago; never later than now. */
export function daysAgo(now: Date, days: number, hour: number): Date {
  const midnight = now.getTime() - (now.getTime() % DAY_MS);
  const at = addMilliseconds(new Date(midnight - days * DAY_MS), hour * HOUR_MS);
  return at < now ? at : now;
}
