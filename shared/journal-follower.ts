import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type Pool } from 'pg';
import { journalEnd, readEvents, type Cursor, type JournalEvent } from './events.ts';
import type { Logger } from './log.ts';

/** How long a reading waits for more notifications, so that a burst of changes is read at once. */
const GATHER_MS = 50;
const POLL_MS = 2_000;
const BATCH = 1_000;
const RECONNECT_MS = 1_000;

/**
 * Calls `onEvents` with every event committed from now on, in order: woken by NOTIFY, and every two seconds in case a
 * notification was lost. A lost connection is made anew; `onGap` tells that events may have been missed meanwhile.
 */
export async function followJournal(
  { databaseUrl, pool, log }: { databaseUrl: string; pool: Pool; log: Logger },
  onEvents: (events: JournalEvent[]) => void,
  onGap: () => void,
): Promise<{ stop(): Promise<void> }> {
  let cursor: Cursor = await journalEnd(pool);
  let reading: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let listener: pg.Client | undefined;

  async function read(): Promise<void> {
    do {
      await sleep(GATHER_MS);
      again = false;
      const events = await readEvents(pool, cursor, BATCH);
      const last = events.at(-1);
      if (!last) continue;
      cursor = { xid: last.xid, seq: last.seq };
      onEvents(events);
      again ||= events.length === BATCH;
    } while (again && !stopped);
  }

  function wake(): void {
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

  async function listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'quayside-journal',
      keepAlive: true,
    });
    client.on('error', () => client.emit('end'));
    client.once('end', () => {
      if (stopped || listener !== client) return;
      listener = undefined;
      onGap();
      setTimeout(() => void reconnect(), RECONNECT_MS).unref();
    });
    client.on('notification', wake);
    await client.connect();
    listener = client;
    await client.query('listen quayside_events');
  }

  async function reconnect(): Promise<void> {
    if (stopped) return;
    try {
      await listen();
      wake();
    } catch (error) {
      log.warn({ err: error }, 'the journal listener is not connected');
      setTimeout(() => void reconnect(), RECONNECT_MS).unref();
    }
  }

  await reconnect();
  const timer = setInterval(wake, POLL_MS);
  timer.unref();

  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await reading;
      await listener?.end();
    },
  };
}
