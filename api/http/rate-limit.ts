import type { Pool } from 'pg';
import type { Clock } from '../../shared/kit/clock.ts';
import type { Logger } from '../../shared/kit/log.ts';

/** A budget of requests in a fixed window, shared by all API processes. */
export type Limit = { name: string; limit: number; windowSeconds: number };
export type Verdict = { allowed: boolean; remaining: number; resetAt: Date };

/** `waiting` wait to be told which of the window's requests they are, the first being 1; `passed` have passed uncounted. */
type Window = {
  bucket: string;
  start: number;
  limit: number;
  used: number;
  passed: number;
  waiting: ((place: number | undefined) => void)[];
};

/** Larger budgets are there to be far from: below this share of one, requests are counted when they have passed. */
const LARGE = 10_000;
const UNWATCHED_SHARE = 0.25;
const COUNT_PASSED_AFTER_MS = 100;

/**
 * Counts requests per bucket and window in PostgreSQL, each before it is answered: exactly `limit` pass over all processes,
 * in whatever order they ask. Those that come while others are being counted are counted together, in one statement.
 */
export function createRateLimiter(pool: Pool, clock: Clock, log: Logger) {
  const windows = new Map<string, Window>();
  const uncounted = new Set<Window>();
  let timer: NodeJS.Timeout | undefined;
  let counting: Promise<void> | undefined;

  async function take(bucket: string, { name, limit, windowSeconds }: Limit): Promise<Verdict> {
    const now = clock.now().getTime();
    const start = now - (now % (windowSeconds * 1_000));
    const resetAt = new Date(start + windowSeconds * 1_000);
    const window = currentWindow(`${name}:${bucket}`, start, limit);
    const used = window.used + window.passed;
    if (window.used >= limit) return { allowed: false, remaining: 0, resetAt };
    if (limit > LARGE && used < limit * UNWATCHED_SHARE) {
      window.passed += 1;
      uncounted.add(window);
      countSoon();
      return { allowed: true, remaining: limit - used - 1, resetAt };
    }
    const place = (await placeOf(window)) ?? used + 1;
    return { allowed: place <= limit, remaining: Math.max(0, limit - place), resetAt };
  }

  function currentWindow(bucket: string, start: number, limit: number): Window {
    const known = windows.get(bucket);
    if (known?.start === start) return known;
    const fresh: Window = { bucket, start, limit, used: 0, passed: 0, waiting: [] };
    windows.set(bucket, fresh);
    return fresh;
  }

  /** Which of the window's requests over all processes this one is; undefined while the database cannot be asked. */
  function placeOf(window: Window): Promise<number | undefined> {
    return new Promise((resolve) => {
      window.waiting.push(resolve);
      uncounted.add(window);
      void countNow();
    });
  }

  function countSoon(): void {
    if (!counting) timer ??= setTimeout(() => void countNow(), COUNT_PASSED_AFTER_MS);
  }

  function countNow(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return (counting ??= countUntilNobodyWaits());
  }

  async function countUntilNobodyWaits(): Promise<void> {
    do {
      const batch = [...uncounted].map((window) => ({
        window,
        count: window.passed + window.waiting.length,
        waiting: window.waiting,
      }));
      uncounted.clear();
      for (const { window, count } of batch)
        Object.assign(window, { used: window.used + count, passed: 0, waiting: [] });
      const totals = await add(batch);
      for (const { window, waiting } of batch) {
        const total = totals.get(keyOf(window.bucket, window.start));
        window.used = Math.max(window.used, total ?? 0);
        for (const [i, tell] of waiting.entries())
          tell(total === undefined ? undefined : total - waiting.length + i + 1);
      }
    } while ([...uncounted].some(({ waiting }) => waiting.length > 0));
    counting = undefined;
    if (uncounted.size > 0) countSoon();
    forgetOldWindows();
  }

  /** Adds the counts in the database and answers the new totals; empty when the database cannot be asked. */
  async function add(batch: { window: Window; count: number }[]): Promise<Map<string, number>> {
    try {
      const { rows } = await pool.query<{ bucket: string; window_start: Date; used: number }>({
        name: 'rate-window-add',
        text: `insert into rate_windows as w (bucket, window_start, used)
               select * from unnest($1::text[], $2::timestamptz[], $3::int[]) as t (bucket, window_start, used) order by bucket, window_start
               on conflict (bucket, window_start) do update set used = w.used + excluded.used
               returning bucket, window_start, used`,
        values: [
          batch.map((b) => b.window.bucket),
          batch.map((b) => new Date(b.window.start)),
          batch.map((b) => b.count),
        ],
      });
      return new Map(rows.map((row) => [keyOf(row.bucket, row.window_start.getTime()), row.used]));
    } catch (error) {
      log.warn({ err: error }, 'rate limits could not be counted; requests are let through');
      return new Map();
    }
  }

  function forgetOldWindows(): void {
    if (windows.size < 10_000) return;
    const oldest = clock.now().getTime() - 3_600_000;
    for (const [bucket, window] of windows) if (window.start < oldest || windows.size > 50_000) windows.delete(bucket);
  }

  return {
    take,
    /** Writes what has passed uncounted; called when the process stops. */
    async close(): Promise<void> {
      while (uncounted.size > 0 || counting) await countNow();
    },
  };
}

const keyOf = (bucket: string, start: number) => `${start} ${bucket}`;

export type RateLimiter = ReturnType<typeof createRateLimiter>;
