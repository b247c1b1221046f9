import { Client } from 'pg';
import { databaseDeadlines } from './deadlines.ts';

/** A position in the write-ahead log (pg_lsn) as a number; exact up to 9 PB of log. */
type Position = number;

/** What a server tells of itself and its log: a primary where it writes, a standby what it has replayed. */
export type WalState = {
  /** The same for the databases of one name on a primary and its standbys. */
  identity: string;
  /** Which history of the log it is on: each promotion begins another one, in which the same positions mean other things. */
  timeline: number;
  /** All up to here is written out; undefined in recovery. */
  written: Position | undefined;
  /** All that was committed is below, also what is yet to be written (synchronous_commit = off); undefined in recovery. */
  inserted: Position | undefined;
  /** Undefined for a primary. */
  replayed: Position | undefined;
};

/** How a position is written: as pg_lsn. */
export const POSITION_PATTERN = /^[\dA-F]{1,8}\/[\dA-F]{1,8}$/;
const HIGH = 2 ** 32;
const PAGE_BYTES = 8_192;
/** XLogPageHeaderData, and that of the first page of a segment. */
const PAGE_HEADERS = new Set([24, 40]);

/** The position that a text of the form of pg_lsn stands for. */
export function parsePosition(text: string): Position {
  const [high = '', low = ''] = text.split('/');
  return Number.parseInt(high, 16) * HIGH + Number.parseInt(low, 16);
}

/** The text of a position, as PostgreSQL writes it. */
export const formatPosition = (position: Position): string =>
  `${Math.floor(position / HIGH).toString(16)}/${(position % HIGH).toString(16)}`.toUpperCase();

const STATE = `select system_identifier || '/' || d.oid as identity,
           case when pg_is_in_recovery()
             then coalesce((select received_tli from pg_stat_wal_receiver), min_recovery_end_timeline)
             else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline,
           case when not pg_is_in_recovery() then pg_current_wal_lsn()::text end as written,
           case when not pg_is_in_recovery() then pg_current_wal_insert_lsn()::text end as inserted,
           case when pg_is_in_recovery() then coalesce(pg_last_wal_replay_lsn(), '0/0')::text end as replayed
         from pg_control_system(), pg_control_recovery(), pg_database d where d.datname = current_database()`;

type StateRow = Pick<WalState, 'identity' | 'timeline'> & Record<'written' | 'inserted' | 'replayed', string | null>;

/** Asks a server for its state on a connection of its own; each answer is of a moment after the question. */
export function createWalProbe(
  databaseUrl: string,
  withinMs: number = databaseDeadlines.walPosition,
): { ask(): Promise<WalState>; close(): Promise<void> } {
  let connected: Client | undefined;
  let running: Promise<WalState> | undefined;
  let next: Promise<WalState> | undefined;

  async function connect(): Promise<Client> {
    const client = new Client({
      connectionString: databaseUrl,
      application_name: 'quayside-replicas',
      connectionTimeoutMillis: withinMs,
      query_timeout: withinMs,
      keepAlive: true,
    });
    // The question in flight fails with the same error.
    client.on('error', () => {
      if (connected === client) connected = undefined;
    });
    await client.connect();
    return client;
  }

  async function read(): Promise<WalState> {
    const client = (connected ??= await connect());
    const { rows } = await client.query<StateRow>(STATE).catch((error: unknown) => {
      connected = undefined;
      client.connection.stream.destroy();
      throw error;
    });
    const { identity, timeline, written, inserted, replayed } = rows[0]!;
    return {
      identity,
      timeline,
      written: written === null ? undefined : parsePosition(written),
      inserted: inserted === null ? undefined : withoutPageHeader(parsePosition(inserted)),
      replayed: replayed === null ? undefined : parsePosition(replayed),
    };
  }

  function start(): Promise<WalState> {
    next = undefined;
    const asking: Promise<WalState> = read().finally(() => {
      if (running === asking) running = undefined;
    });
    running = asking;
    return asking;
  }

  return {
    // Whoever asks while a question is under way shares the next one: the answer to the first may be of a moment before.
    ask: () => (running ? (next ??= running.then(start, start)) : start()),
    close: async () => connected?.end(),
  };
}

/** Where the next record will begin is behind the header of a new page; the last one has ended before it, and so does its replay. */
function withoutPageHeader(inserted: Position): Position {
  const inPage = inserted % PAGE_BYTES;
  return PAGE_HEADERS.has(inPage) ? inserted - inPage : inserted;
}
