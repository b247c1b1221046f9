import type { Pool } from 'pg';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';

/** A budget of requests in a fixed window, shared by all API processes. */
export type Limit = { name: string; limit: number; windowSeconds: number };
export type Verdict = { allowed: boolean; remaining: number; resetAt: Date };

type Window = { bucket: string; start: number; limit: number; used: number; pending: number };

const FLUSH_EVERY_MS = 10;
/** Below this share of a budget a request is counted in the next batch; above it, in its own statement, exactly. */
const BATCHED_SHARE = 0.25;

/**
 * Counts requests per bucket and window in PostgreSQL. Far from the limit, counts are sent in batches so that a read
 * costs no round trip; near it, every request asks the database, so that exactly `limit` pass over all processes.
 */
export function createRateLimiter(pool: Pool, clock: Clock, log: Logger) {
  const windows = new Map<string, Window>();
  let timer: NodeJS.Timeout | undefined;

  async function take(bucket: string, { name, limit, windowSeconds }: Limit): Promise<Verdict> {
    const now = clock.now().getTime();
    const start = now - (now % (windowSeconds * 1_000));
    const resetAt = new Date(start + windowSeconds * 1_000);
    const window = currentWindow(`${name}:${bucket}`, start, limit);
    if (window.used + window.pending < limit * BATCHED_SHARE) {
      window.pending += 1;
      timer ??= setTimeout(() => void flush(), FLUSH_EVERY_MS);
      return { allowed: true, remaining: limit - window.used - window.pending, resetAt };
    }
    if (window.used >= limit) return { allowed: false, remaining: 0, resetAt };
    const allowed = await takeExactly(window);
    return { allowed, remaining: Math.max(0, limit - window.used), resetAt };
  }

  function currentWindow(bucket: string, start: number, limit: number): Window {
    const known = windows.get(bucket);
    if (known && known.start === start) return known;
    const fresh: Window = { bucket, start, limit, used: 0, pending: 0 };
    windows.set(bucket, fresh);
    return fresh;
  }

  /** Counts this request (and what is still unsent of its window): every one sees another total, so exactly `limit` pass. */
  async function takeExactly(window: Window): Promise<boolean> {
    const count = window.pending + 1;
    window.pending = 0;
    const used = (await add([{ window, count }])).get(window.bucket);
    return used === undefined || used <= window.limit;
  }

  async function flush(): Promise<void> {
    timer = undefined;
    const batch = [...windows.values()]
      .filter((window) => window.pending > 0)
      .map((window) => ({ window, count: window.pending }));
    for (const { window } of batch) window.pending = 0;
    if (batch.length > 0) await add(batch);
    forgetOldWindows();
  }

  /** Adds the counts in the database and answers the new totals; empty when the database cannot be asked (the request passes). */
  async function add(batch: { window: Window; count: number }[]): Promise<Map<string, number>> {
    for (const { window, count } of batch) window.used += count;
    try {
      const { rows } = await pool.query<{ bucket: string; used: number }>({
        name: 'rate-window-add',
        text: `insert into rate_windows as w (bucket, window_start, used)
               select * from unnest($1::text[], $2::timestamptz[], $3::int[]) as t (bucket, window_start, used) order by bucket
               on conflict (bucket, window_start) do update set used = w.used + excluded.used
               returning bucket, used`,
        values: [
          batch.map((b) => b.window.bucket),
          batch.map((b) => new Date(b.window.start)),
          batch.map((b) => b.count),
        ],
      });
      const totals = new Map(rows.map(({ bucket, used }) => [bucket, used]));
      for (const { window } of batch) window.used = Math.max(window.used, totals.get(window.bucket) ?? 0);
      return totals;
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
    /** Writes what is still counted here; called when the process stops. */
    async close(): Promise<void> {
      clearTimeout(timer);
      await flush();
    },
  };
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;
