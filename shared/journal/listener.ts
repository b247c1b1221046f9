import pg from 'pg';
import type { Logger } from '../kit/log.ts';

const POLL_MS = 2_000;
const RECONNECT_MS = 1_000;
/** Long enough for a process that stands still in between: the poll goes on meanwhile. */
const CONNECT_TIMEOUT_MS = 30_000;

/**
 * Calls `wake` whenever events were committed: told by NOTIFY, and every two seconds in case a notification was lost. A
 * lost connection is made anew; `onGap` tells that notifications may have been missed until then.
 */
export async function listenForEvents(
  { directDatabaseUrl, log }: { directDatabaseUrl: string; log: Logger },
  wake: () => void,
  onGap: () => void = () => {},
): Promise<{ stop(): Promise<void> }> {
  let stopped = false;
  let listener: pg.Client | undefined;

  async function listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: directDatabaseUrl,
      application_name: 'quayside-journal',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
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
      await listener?.end();
    },
  };
}
