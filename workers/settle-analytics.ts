import { addMilliseconds, DAY_MS, HOUR_MS, dayOf } from '../shared/kit/clock.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { findUnsettledDays, settleDay } from '../shared/tracking/figures.ts';
import type { WorkerServices } from './services.ts';

/** How far back days are settled: as far as anybody may look. */
const DAYS = 400;
/** What is counted in the last seconds of a day may arrive in the next. */
const GRACE_MS = HOUR_MS;

/** Settles the figures of the days that are over, so that the analytics of a year read few rows; stops when told to. */
export const settleAnalytics: JobHandler<WorkerServices, 'settle-analytics'> = async (
  { pool, clock },
  _payload,
  { signal },
) => {
  const end = addMilliseconds(clock.now(), -GRACE_MS);
  const days = await findUnsettledDays(pool, dayOf(addMilliseconds(end, -DAYS * DAY_MS)), dayOf(end));
  for (const day of days) {
    signal.throwIfAborted();
    await settleDay(pool, day);
  }
  return { settled: days.length };
};
