import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, type IsolationLevel, type Transaction } from 'kysely';
import { type Client, type ClientBase, Pool, types } from 'pg';
import { limitConnectionWait } from './connection-wait.ts';
import { databaseDeadlines, type DatabaseDeadlines } from './deadlines.ts';
import { isTransient, UnusableDatabaseError } from './errors.ts';
import { pooledClient } from './pooled-client.ts';
import { keepTraces, TracedClient } from './traced-client.ts';
import type { DB } from './types.gen.ts';
import { outsideUnit } from './unit-of-work.ts';

export { errorCode, isConnectionError, isTransient, sqlState, UnusableDatabaseError } from './errors.ts';

export type Database = Kysely<DB>;

export type PoolOptions = {
  databaseUrl: string;
  max: number;
  applicationName: string;
  /** A pooler hands out its server connections for one transaction each (config.ts): nothing is kept in sessions. */
  transactionPooling?: boolean | undefined;
  /** What of them is not given is as it is at DEADLINE_FACTOR 1. */
  deadlines?: Partial<DatabaseDeadlines>;
  /** The server refuses to write (25006), whatever it has become. */
  isReadOnly?: boolean;
  /** Told of every lost connection; the query that used it, if any, fails by itself. */
  onError?: (error: Error) => void;
};

type TypeId = Parameters<typeof types.getTypeParser>[0];

const arrays = { int8: 1016, numeric: 1231, date: 1182, text: 1009 };
const parseTextArray: (text: string) => (string | null)[] = types.getTypeParser(arrays.text);
const parseNumberArray = (text: string) => parseTextArray(text).map((item) => (item === null ? null : Number(item)));
const parsers = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, Number],
  [types.builtins.NUMERIC, Number],
  [types.builtins.DATE, String],
  [arrays.int8, parseNumberArray],
  [arrays.numeric, parseNumberArray],
  [arrays.date, parseTextArray],
]);
const customTypes = {
  getTypeParser: ((oid: TypeId, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) || types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/**
 * A pool that survives the loss of its connections. bigint and numeric read as number, timestamptz as Date, date as
 * 'YYYY-MM-DD'. Waiting for a connection ends at its deadline, with an error that isConnectionError knows.
 */
export function createPool(options: PoolOptions): Pool {
  const { databaseUrl, max, applicationName } = options;
  const deadlines = { ...databaseDeadlines, ...options.deadlines };
  const onError = options.onError ?? (() => {});
  const limits: Record<string, number | string> = {
    statement_timeout: deadlines.statement,
    lock_timeout: deadlines.lock,
    idle_in_transaction_session_timeout: deadlines.idleInTransaction,
    ...(options.isReadOnly && { default_transaction_read_only: 'on' }),
  };
  const pool = new Pool({
    connectionString: databaseUrl,
    max,
    application_name: applicationName,
    types: customTypes,
    connectionTimeoutMillis: deadlines.poolConnection,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(options.transactionPooling
      ? { Client: pooledClient(limits) }
      : {
          Client: TracedClient,
          // oxlint-disable-next-line typescript/no-misused-promises -- pg-pool awaits it, whatever its types say
          onConnect: (client: ClientBase) => setLimits(client, limits, deadlines.poolConnection),
        }),
  });
  pool.on('error', onError);
  // A client in use has no listener of the pool; without one, losing its connection would end the process.
  pool.on('connect', (client) => {
    client.on('error', onError);
  });
  limitConnectionWait(pool, deadlines);
  keepTraces(pool);
  return pool;
}

/** As parameters of the connection, poolers such as PgBouncer refuse them; and one whose connections are all in use keeps us waiting here. */
async function setLimits(client: ClientBase, limits: Record<string, number | string>, withinMs: number): Promise<void> {
  const script = Object.entries(limits).map(([name, value]) => `set ${name} = ${value}`);
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error('timeout exceeded when trying to connect')), withinMs);
  try {
    await Promise.race([client.query(script.join('; ')), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Kysely on that pool; ending the pool is left to its owner. */
export function createDatabase(pool: Pool): Database {
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
}

/** Refuses a database that cannot hold our data: another encoding than UTF-8, or PostgreSQL before 15. */
export async function assertUsable(client: Pool | Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string; version: number }>(
    `select current_setting('server_encoding') as encoding, current_setting('server_version_num')::int as version`,
  );
  const { encoding, version } = rows[0]!;
  if (encoding !== 'UTF8')
    throw new UnusableDatabaseError(
      `DATABASE_URL: the database is encoded in ${encoding}; create it with encoding UTF8`,
    );
  if (version < 150_000)
    throw new UnusableDatabaseError(
      `DATABASE_URL: PostgreSQL 15 or later is needed, this is ${Math.floor(version / 10_000)}`,
    );
}

/**
 * Runs `work` in one transaction. A serialisation failure or deadlock rolls it back and runs it again, up to `retries`
 * times (default 3), so `work` may touch nothing but the transaction. In a unit of work it becomes a part of that, unless it
 * is `autonomous`: then it is committed by itself, before the unit begins.
 */
export async function inTransaction<T>(
  db: Database,
  work: (transaction: Transaction<DB>) => Promise<T>,
  { retries = 3, isolation, autonomous }: { retries?: number; isolation?: IsolationLevel; autonomous?: boolean } = {},
): Promise<T> {
  const database = autonomous ? outsideUnit(db) : db;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const transaction = database.transaction();
      return await (isolation ? transaction.setIsolationLevel(isolation) : transaction).execute(work);
    } catch (error) {
      if (attempt >= retries || !isTransient(error)) throw error;
      await sleep(2 ** attempt * 10 * (1 + Math.random()));
    }
  }
}
