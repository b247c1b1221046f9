import type { Pool, PoolClient } from 'pg';
import type { DatabaseDeadlines } from './deadlines.ts';
import { sqlState } from './errors.ts';

const LOOK_MS = 300;
const PROBE_MS = 100;
/** cannot_connect_now: the server starts, or recovers from a crash. */
const STARTING = '57P03';

type Callback = (error: Error | undefined, client?: PoolClient, release?: () => void) => void;

type Waits = Pick<DatabaseDeadlines, 'connectionWait' | 'startingWait'>;

/**
 * Ends the wait for a connection of `pool` at its deadline with an error that isConnectionError knows. Only time in which this process
 * could have taken the connection counts: where its own event loop was blocked or starved, the server had answered long ago.
 * (By pg-pool's own limit such a process takes a healthy server to be away: test/faults/starved-start.test.ts.) While the server
 * says that it starts or recovers, which takes seconds after a crash, all who wait are held, until a later deadline, and it is asked
 * every 100 ms.
 */
export function limitConnectionWait(pool: Pool, { connectionWait, startingWait }: Waits): void {
  const waiting = new Map<Callback, number>();
  const held = new Set<Callback>();
  const connect = pool.connect.bind(pool) as (callback: Callback) => void;
  let isProbing = false;

  function look(): void {
    if (pool.ended) clearInterval(timer);
    for (const [callback, looks] of waiting) {
      waiting.set(callback, looks + 1);
      if ((looks + 1) * LOOK_MS < (held.has(callback) ? startingWait : connectionWait)) continue;
      waiting.delete(callback);
      held.delete(callback);
      callback(new Error('timeout exceeded when trying to connect'));
    }
  }
  const timer = setInterval(look, LOOK_MS).unref();

  function attempt(waiter: Callback): void {
    connect((error, client, release) => {
      // Who has given up does not want it any more.
      if (!waiting.has(waiter)) release?.();
      else if (sqlState(error) === STARTING) hold(waiter);
      else {
        waiting.delete(waiter);
        waiter(error, client, release);
      }
    });
  }

  function hold(waiter: Callback): void {
    held.add(waiter);
    if (!isProbing) setTimeout(probe, PROBE_MS);
    isProbing = true;
  }

  function probe(): void {
    connect((error, _client, release) => {
      release?.();
      if (sqlState(error) === STARTING && held.size > 0) return setTimeout(probe, PROBE_MS);
      isProbing = false;
      const released = [...held];
      held.clear();
      for (const waiter of released) {
        waiting.set(waiter, 0);
        attempt(waiter);
      }
    });
  }

  function connectWithin(callback: Callback): void {
    // One function may wait more than once.
    const waiter: Callback = (...given) => callback(...given);
    waiting.set(waiter, 0);
    if (isProbing) held.add(waiter);
    else attempt(waiter);
  }

  pool.connect = ((callback?: Callback) =>
    callback
      ? connectWithin(callback)
      : new Promise<PoolClient>((resolve, reject) =>
          connectWithin((error, client) => (client ? resolve(client) : reject(error))),
        )) as Pool['connect'];
}
