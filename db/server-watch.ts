import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Pool, type PoolClient } from 'pg';
import { databaseDeadlines } from './deadlines.ts';
import { errorCode, sqlState } from './errors.ts';

const BEAT_MS = 400;
/** A beat is looked for several times, so that a busy event loop of our own is not taken for a silent server. */
const LOOK_MS = 300;

type WatchOptions = {
  databaseUrl: string;
  applicationName: string;
  /** Default 2.1 s. */
  silenceMs?: number | undefined;
  onChange?: (silent: boolean) => void;
};

/**
 * Notices within `silenceMs` and a beat that the server has stopped answering without closing anything (frozen, or cut off by
 * the network): what waits for it fails at once, and so does every new query, with an error that isConnectionError knows,
 * until it answers again. Asking a few times a second on a connection of its own, it costs no query anything.
 */
export function watchServer(pool: Pool, options: WatchOptions): { stop(): Promise<void> } {
  const { silenceMs = databaseDeadlines.serverSilence } = options;
  const stopping = new AbortController();
  const clients = new Set<PoolClient>();
  let silent = false;
  pool.on('connect', (client) => clients.add(client));
  pool.on('remove', (client) => clients.delete(client));
  const connecting = makeRefusable(pool, () => silent);

  function setSilent(now: boolean): void {
    if (silent === now) return;
    silent = now;
    options.onChange?.(silent);
    if (!silent) return;
    for (const client of clients) cutOff(client);
    connecting.refuseAll();
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const client = new Client({
        connectionString: options.databaseUrl,
        application_name: options.applicationName,
        connectionTimeoutMillis: silenceMs,
      });
      client.on('error', () => {
        // The beat in flight fails with the same error.
      });
      try {
        await client.connect();
        setSilent(false);
        while (await answers(client)) await pause(BEAT_MS, stopping.signal);
        setSilent(!stopping.signal.aborted);
      } catch (error) {
        // A refusal is an answer too.
        if (sqlState(error) || errorCode(error)) setSilent(false);
      }
      cutOff(client);
      await pause(BEAT_MS, stopping.signal);
    }
  }

  async function answers(client: Client): Promise<boolean> {
    const answer = client.query('select').then(() => true);
    // Looked at below, unless it fails after the last look.
    answer.catch(() => false);
    for (let lookMs = 0; lookMs < silenceMs && !stopping.signal.aborted; lookMs += LOOK_MS)
      if (await Promise.race([answer, pause(LOOK_MS, stopping.signal)])) return !stopping.signal.aborted;
    return false;
  }

  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

type Callback = (error: Error | undefined, client?: PoolClient, release?: () => void) => void;

/** Lets those who wait for a connection, or ask for one, be refused while the server is silent. */
function makeRefusable(pool: Pool, isSilent: () => boolean): { refuseAll(): void } {
  const waiting = new Set<() => void>();
  const connect = pool.connect.bind(pool) as (callback: Callback) => void;

  function connectUnlessSilent(callback: Callback): void {
    let settled = false;
    const refuse = () => {
      waiting.delete(refuse);
      settled = true;
      callback(Object.assign(new Error('the database does not answer'), { code: 'ETIMEDOUT' }));
    };
    if (isSilent()) return process.nextTick(refuse);
    waiting.add(refuse);
    connect((error, client, release) => {
      waiting.delete(refuse);
      // Who was refused does not wait for it any more.
      if (settled) release?.();
      else callback(error, client, release);
    });
  }

  pool.connect = ((callback?: Callback) =>
    callback
      ? connectUnlessSilent(callback)
      : new Promise<PoolClient>((resolve, reject) =>
          connectUnlessSilent((error, client) => (client ? resolve(client) : reject(error))),
        )) as Pool['connect'];
  return {
    refuseAll() {
      for (const refuse of waiting) refuse();
    },
  };
}

function cutOff(client: Client | PoolClient): void {
  client.connection.stream.destroy();
}

async function pause(ms: number, signal: AbortSignal): Promise<false> {
  await sleep(ms, undefined, { signal }).catch(() => {
    // Only stopping cuts a pause short.
  });
  return false;
}
