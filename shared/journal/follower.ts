import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isBefore, journalEnd, newestEvent, readEvents, type Cursor, type JournalEvent } from './events.ts';
import { listenForEvents } from './listener.ts';
import type { Logger } from '../kit/log.ts';

/** How long a reading waits for more notifications, so that a burst of changes is read at once. */
const GATHER_MS = 50;
const BATCH = 1_000;

export type Follower = {
  /** Resolves when every event committed before the call has been handled. */
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Calls `onEvents` with every event committed from now on, in order: woken by NOTIFY, and every two seconds in case a
 * notification was lost. A lost connection is made anew; `onGap` tells that events may have been missed meanwhile.
 */
export async function followJournal(
  { directDatabaseUrl, pool, log }: { directDatabaseUrl: string; pool: Pool; log: Logger },
  onEvents: (events: JournalEvent[]) => void | Promise<void>,
  onGap: () => void,
): Promise<Follower> {
  let cursor: Cursor = await journalEnd(pool);
  let reading: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  async function read(): Promise<void> {
    do {
      await sleep(GATHER_MS);
      again = false;
      const events = await readEvents(pool, cursor, BATCH);
      const last = events.at(-1);
      if (!last) continue;
      cursor = { xid: last.xid, seq: last.seq };
      await onEvents(events);
      again ||= events.length === BATCH;
    } while (again && !stopped);
  }

  function wake(): void {
    if (stopped) return;
    again = true;
    reading ??= read()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'the journal could not be read');
        onGap();
      })
      .finally(() => {
        reading = undefined;
      });
  }

  const listener = await listenForEvents({ directDatabaseUrl, log }, wake, onGap);

  return {
    async caughtUp() {
      const end = await newestEvent(pool);
      while (!stopped && isBefore(cursor, end)) {
        wake();
        await reading;
      }
    },
    async stop() {
      stopped = true;
      await listener.stop();
      await reading;
    },
  };
}
