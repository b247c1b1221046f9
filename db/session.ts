import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { sqlState, UnusableDatabaseError } from './errors.ts';

const MARK = 'quayside.session';
/** A pooler that takes turns among its server connections may give the same one twice by chance, but not so often. */
const ROUNDS = 10;

/**
 * Refuses a pooler that hands out its server connections per transaction or statement (PgBouncer's pool_mode): LISTEN, advisory
 * locks, prepared statements and timeouts live in a session. A setting of this session has to stay in it, and in it alone,
 * while a second connection competes for the server connections. A direct connection is known by its cancel key and asked nothing more.
 */
export async function assertSession(client: Client, databaseUrl: string): Promise<void> {
  if (await isDirect(client)) return;
  const rival = new Client({
    connectionString: databaseUrl,
    application_name: 'quayside session check',
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
  });
  rival.on('error', () => {
    // The query in flight rejects with the same error.
  });
  await rival.connect();
  try {
    for (let round = 0; round < ROUNDS; round += 1)
      if (!(await keepsSetting(client, rival)))
        throw new UnusableDatabaseError(
          'DATABASE_URL: the pooler in front of PostgreSQL shares server connections between transactions (pool_mode in PgBouncer), ' +
            'but LISTEN, advisory locks and prepared statements need a session: set its pool_mode to session, or name PostgreSQL itself',
        );
  } finally {
    await rival.end();
  }
}

/** PostgreSQL's cancel key holds the process id of the backend; a pooler hands out keys of its own. */
async function isDirect(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid === (client as Client & { processID: number | null }).processID;
}

async function keepsSetting(client: Client, rival: Client): Promise<boolean> {
  const mark = randomUUID();
  await client.query('select set_config($1, $2, false)', [MARK, mark]);
  try {
    await rival.query('begin');
  } catch (error) {
    // PgBouncer's pool_mode=statement allows no transactions.
    if (sqlState(error) === '08P01') return false;
    throw error;
  }
  // Asked first: where there is but one server connection, the rival holds it now.
  const isKept = (await readMark(rival)) !== mark && (await readMark(client)) === mark;
  await rival.query('rollback');
  return isKept;
}

async function readMark(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>('select current_setting($1, true) as mark', [MARK]);
  return rows[0]?.mark ?? null;
}
