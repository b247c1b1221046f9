import type { Pool, PoolClient } from 'pg';

const LOOK_MS = 300;
/** Three seconds, as long as the event loop is not blocked. */
const LOOKS = 10;

type Callback = (error: Error | undefined, client?: PoolClient, release?: () => void) => void;

/**
 * Ends the wait for a connection of `pool` after 3 s with an error that isConnectionError knows. Only time in which this process
 * could have taken the connection counts: where its own event loop was blocked or starved, the server had answered long ago.
 * (By pg-pool's own limit such a process takes a healthy server to be away: test/faults/starved-start.test.ts.)
 */
export function limitConnectionWait(pool: Pool): void {
  const waiting = new Map<Callback, number>();
  const connect = pool.connect.bind(pool) as (callback: Callback) => void;

  function look(): void {
    if (pool.ended) clearInterval(timer);
    for (const [callback, looks] of waiting) {
      waiting.set(callback, looks + 1);
      if (looks + 1 < LOOKS) continue;
      waiting.delete(callback);
      callback(new Error('timeout exceeded when trying to connect'));
    }
  }
  const timer = setInterval(look, LOOK_MS).unref();

  function connectWithin(callback: Callback): void {
    // One function may wait more than once.
    const waiter: Callback = (...given) => callback(...given);
    waiting.set(waiter, 0);
    connect((error, client, release) => {
      // Who has given up does not want it any more.
      if (waiting.delete(waiter)) callback(error, client, release);
      else release?.();
    });
  }

  pool.connect = ((callback?: Callback) =>
    callback
      ? connectWithin(callback)
      : new Promise<PoolClient>((resolve, reject) =>
          connectWithin((error, client) => (client ? resolve(client) : reject(error))),
        )) as Pool['connect'];
}
