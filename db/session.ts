import { randomInt, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { databaseDeadlines, type DatabaseDeadlines } from './deadlines.ts';
import { sqlState, UnusableDatabaseError } from './errors.ts';

const MARK = 'quayside.session';
/** A pooler that takes turns among its server connections may give the same one twice by chance, but not so often. */
const ROUNDS = 10;

type StartDeadlines = Pick<DatabaseDeadlines, 'startConnection' | 'startQuery'>;

/** The settings that name a database by its URL. */
export type UrlSetting = 'DATABASE_URL' | 'DATABASE_DIRECT_URL';

/** The setting that leads past a pooler. */
export const directSetting = ({ transactionPooling }: { transactionPooling: boolean }): UrlSetting =>
  transactionPooling ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';

const mend: Record<UrlSetting, string> = {
  DATABASE_URL: 'set its pool_mode to session, or name PostgreSQL itself, here or beside it in DATABASE_DIRECT_URL',
  DATABASE_DIRECT_URL: 'name PostgreSQL itself',
};

/**
 * Refuses a pooler that hands out its server connections per transaction or statement (PgBouncer's pool_mode): LISTEN, advisory
 * locks, prepared statements and timeouts live in a session. A setting of this session has to stay in it, and in it alone,
 * while a second connection competes for the server connections. A direct connection is known by its cancel key and asked nothing more.
 */
export async function assertSession(
  client: Client,
  databaseUrl: string,
  setting: UrlSetting = 'DATABASE_URL',
  deadlines: StartDeadlines = databaseDeadlines,
): Promise<void> {
  if (await isDirect(client)) return;
  const rival = await connectBeside(databaseUrl, deadlines);
  try {
    for (let round = 0; round < ROUNDS; round += 1)
      if (!(await keepsSetting(client, rival, round % 2 === 1)))
        throw new UnusableDatabaseError(
          `${setting}: the pooler in front of PostgreSQL shares server connections between transactions (pool_mode in PgBouncer), ` +
            `but LISTEN, advisory locks and prepared statements need a session: ${mend[setting]}`,
        );
  } finally {
    await rival.end();
  }
}

/**
 * Refuses a pooled URL that leads to another database than the session `direct`, or to a pooler that allows no transactions. Advisory
 * locks are known to one database of one server alone, and neither to its copies nor to its standbys: one that the session holds
 * has to be taken for the other.
 */
export async function assertSameDatabase(
  direct: Client,
  pooledUrl: string,
  deadlines: StartDeadlines = databaseDeadlines,
): Promise<void> {
  const pooled = await connectBeside(pooledUrl, deadlines);
  const key = [randomInt(2 ** 31), randomInt(2 ** 31)];
  try {
    await direct.query('select pg_advisory_lock($1, $2)', key);
    if (!(await begins(pooled)))
      throw new UnusableDatabaseError(
        'DATABASE_URL: the pooler in front of PostgreSQL allows no transactions (pool_mode in PgBouncer): set its pool_mode to transaction',
      );
    const { rows } = await pooled.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1, $2) as free', key);
    await pooled.query('rollback');
    if (rows[0]?.free)
      throw new UnusableDatabaseError(
        'DATABASE_DIRECT_URL: not the database that DATABASE_URL leads to; both have to name the same one on the same server',
      );
    await direct.query('select pg_advisory_unlock($1, $2)', key);
  } finally {
    await pooled.end();
  }
}

async function connectBeside(
  connectionString: string,
  { startConnection, startQuery }: StartDeadlines,
): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: 'quayside session check',
    connectionTimeoutMillis: startConnection,
    query_timeout: startQuery,
  });
  client.on('error', () => {
    // The query in flight rejects with the same error.
  });
  await client.connect();
  return client;
}

/** PostgreSQL's cancel key holds the process id of the backend; a pooler hands out keys of its own. */
async function isDirect(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid === (client as Client & { processID: number | null }).processID;
}

/** `turned`: the session asks once more first. Of two server connections that take turns, the rival is given its own then. */
async function keepsSetting(client: Client, rival: Client, turned: boolean): Promise<boolean> {
  const mark = randomUUID();
  await client.query('select set_config($1, $2, false)', [MARK, mark]);
  if (turned && (await readMark(client)) !== mark) return false;
  if (!(await begins(rival))) return false;
  // Asked first: where there is but one server connection, the rival holds it now.
  const isKept = (await readMark(rival)) !== mark && (await readMark(client)) === mark;
  await rival.query('rollback');
  return isKept;
}

/** False where PgBouncer's pool_mode=statement allows no transactions. */
async function begins(client: Client): Promise<boolean> {
  try {
    await client.query('begin');
    return true;
  } catch (error) {
    if (sqlState(error) === '08P01') return false;
    throw error;
  }
}

async function readMark(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>('select current_setting($1, true) as mark', [MARK]);
  return rows[0]?.mark ?? null;
}
