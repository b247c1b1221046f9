import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDatabaseClock } from '../../../shared/kit/database-clock.ts';

const DAY = 86_400_000;
const log = { warn: vi.fn<() => void>() };

/** A database whose clock differs from that of the machine by so much. */
const database = { aheadMs: 0, isAway: false };
const pool = {
  query: async () => {
    if (database.isAway) throw new Error('away');
    return { rows: [{ at: new Date(Date.now() + database.aheadMs) }] };
  },
} as never;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval', 'performance'] });
  vi.setSystemTime('2026-03-29T00:59:30Z');
  Object.assign(database, { aheadMs: 0, isAway: false });
});
afterEach(() => vi.useRealTimers());

test('a machine whose clock is 90 s off, or is set while it runs, keeps the time of the database', async () => {
  database.aheadMs = 90_000;
  const clock = createDatabaseClock();
  const { stop } = await clock.follow(pool, log);
  expect(clock.now()).toEqual(new Date('2026-03-29T01:01:00Z'));
  // Somebody sets the machine's clock; the database's goes on.
  for (const jump of [40 * DAY, -41 * DAY, -3_600_000]) {
    vi.setSystemTime(Date.now() + jump);
    database.aheadMs -= jump;
    const before = clock.now().getTime();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(clock.now().getTime() - before).toBe(60_000);
  }
  stop();
});

test('a database whose clock is set is followed within ten seconds, and small differences do not move time to and fro', async () => {
  const clock = createDatabaseClock();
  const { stop } = await clock.follow(pool, log);
  database.aheadMs = 50;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(clock.now()).toEqual(new Date());
  database.aheadMs = -3_600_000;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(clock.now().getTime()).toBe(Date.now() - 3_600_000);
  stop();
});

test('while the database is away time goes on', async () => {
  database.aheadMs = 90_000;
  const clock = createDatabaseClock();
  const { stop } = await clock.follow(pool, log);
  database.isAway = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(clock.now().getTime()).toBe(Date.now() + 90_000);
  expect(log.warn).toHaveBeenCalled();
  stop();
});
