import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isConnectionError, type Database } from '../../db/client.ts';
import type { Clock } from '../kit/clock.ts';
import { listenForEvents } from './listener.ts';
import { advanceReader, hasUnreadEvents, registerReaders, type JournalEntry } from './reader.ts';
import type { Tx } from '../queues/jobs.ts';
import type { Logger } from '../kit/log.ts';

/** A follower of the journal whose place is kept in the database. */
export type JournalReader<Services> = {
  /** Never changes: its place is kept under it. */
  name: string;
  /** Acts on events within the transaction that also moves the reader's place: database work only, and short. */
  handle: (services: Services, tx: Tx, events: JournalEntry[]) => Promise<void>;
};

type Basics = { db: Database; pool: Pool; clock: Clock; log: Logger };

/** While a batch is handled, everything committed meanwhile is held back from all readers: it stays small. */
const BATCH = 200;
/** How long to wait for events that are not final yet, or that another process is reading. */
const HELD_MS = 200;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/**
 * Keeps every reader reading: woken by NOTIFY and every two seconds, each on its own. One that fails is tried again after
 * a pause that doubles up to a minute, and never stops the others. `stop` waits for the batches that are being handled.
 */
export async function runReaders<Services extends Basics>(
  directDatabaseUrl: string,
  services: Services,
  readers: readonly JournalReader<Services>[],
): Promise<{ stop(): Promise<void> }> {
  const { db, clock, log } = services;
  const names = readers.map(({ name }) => name);
  await registerReaders(db, names, clock.now());
  const stopping = new AbortController();
  const loops = readers.map((reader) => keepReading(services, reader, stopping.signal));
  const listener = await listenForEvents({ directDatabaseUrl, log }, () => {
    for (const loop of loops) loop.wake();
  });
  return {
    async stop() {
      stopping.abort();
      await listener.stop();
      await Promise.all(loops.map((loop) => loop.ended()));
    },
  };
}

function keepReading<Services extends Basics>(services: Services, reader: JournalReader<Services>, stop: AbortSignal) {
  let running: Promise<void> | undefined;
  let again = false;
  let backoffMs = FIRST_BACKOFF_MS;

  async function read(): Promise<void> {
    while (again && !stop.aborted) {
      again = false;
      try {
        again = (await readOnce(services, reader, stop)) || again;
        backoffMs = FIRST_BACKOFF_MS;
      } catch (error) {
        services.log.error({ err: error, reader: reader.name, retry_ms: backoffMs }, 'a reader of the journal failed');
        await pause(backoffMs, stop);
        // A database that was away has lost nothing: its return is no reason to wait on.
        backoffMs = isConnectionError(error) ? FIRST_BACKOFF_MS : Math.min(2 * backoffMs, MAX_BACKOFF_MS);
        again = true;
      }
    }
  }

  return {
    wake(): void {
      again = true;
      running ??= read().finally(() => {
        running = undefined;
      });
    },
    ended: async () => running,
  };
}

/** True when there may be more to read at once. */
async function readOnce<Services extends Basics>(
  services: Services,
  reader: JournalReader<Services>,
  stop: AbortSignal,
  heldMs = HELD_MS,
): Promise<boolean> {
  if (!(await hasUnreadEvents(services.pool, reader.name))) return false;
  const count = await advanceReader(services, reader.name, BATCH, (tx, events) => reader.handle(services, tx, events));
  if (count === 0) await pause(heldMs, stop);
  return true;
}

async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stop, ref: false }).catch(() => {
    // Only stopping cuts a pause short.
  });
}

/** Reads until every reader has handled every event committed before; a failure is thrown. */
export async function readToEnd<Services extends Basics>(
  services: Services,
  readers: readonly JournalReader<Services>[],
): Promise<void> {
  for (const reader of readers) {
    const signal = new AbortController().signal;
    while (await readOnce(services, reader, signal, 10));
  }
}
