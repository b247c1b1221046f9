import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import { Client } from 'pg';
import { assertUsable, sqlState } from './client.ts';
import { databaseDeadlines } from './deadlines.ts';
import { loadSqlMigrations, SHORT_LOCKS } from './migration-loader.ts';

const migrationsFolder = fileURLToPath(new URL('migrations/', import.meta.url));
const migrationLock = 5_163_880_218;

export type MigrateOptions = {
  folder?: string;
  /** Applies at most so many. */
  count?: number;
  /** Default 5 s. */
  connectWithinMs?: number;
};

/**
 * Brings the schema up to date and answers the names applied now, in order. Starts in parallel are safe: one migrates, the
 * others wait for it. Each migration is one transaction that never waits long for a lock under traffic, and is tried again then; or
 * builds its indexes concurrently, see loadSqlMigrations.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: options.connectWithinMs ?? databaseDeadlines.startConnection,
    application_name: 'quayside migrate',
  });
  client.on('error', () => {
    // The query in flight rejects with the same error.
  });
  await client.connect();
  try {
    await assertUsable(client);
    await waitForTurn(client);
    await client.query(SHORT_LOCKS);
    return await applyAll(client, options);
  } finally {
    await client.end();
  }
}

/** Asks again and again instead of waiting in the server: a waiting session would block CREATE INDEX CONCURRENTLY for ever. */
async function waitForTurn(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      migrationLock,
    ]);
    if (rows[0]?.taken) return;
    await sleep(100);
  }
}

async function applyAll(client: Client, options: MigrateOptions): Promise<string[]> {
  const { folder = migrationsFolder, count = Number.POSITIVE_INFINITY } = options;
  const applied: string[] = [];
  if (!existsSync(folder) || !readdirSync(folder).some((name) => name.endsWith('.sql'))) return applied;
  for (let attempt = 1; ; attempt += 1) {
    const report = createReport();
    try {
      const done = await runner({
        dbClient: client,
        dir: folder,
        migrationsTable: 'migrations',
        direction: 'up',
        count: count - applied.length,
        checkOrder: true,
        migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadSqlMigrations }],
        singleTransaction: false,
        noLock: true,
        logger: report.logger,
      });
      return [...applied, ...done.map(({ name }) => name)];
    } catch (error) {
      await client.query('rollback');
      if (sqlState(error) === '55P03' && attempt < 10) {
        applied.push(...report.finished());
        await sleep(attempt * 200);
        continue;
      }
      throw new Error(
        `Migration ${report.current()} failed: ${error instanceof Error ? error.message : String(error)}${report.excerpt()}`,
        {
          cause: error,
        },
      );
    }
  }
}

/** Listens to what the runner says, to name the migration and the line of a failure. */
function createReport() {
  const started: string[] = [];
  let failure = '';
  return {
    logger: {
      info(line: string) {
        const name = /^### MIGRATION (\S+) \(UP\)/.exec(line)?.[1];
        if (name) started.push(name);
      },
      warn() {},
      error(text: string) {
        failure = text;
      },
    },
    current: () => started.at(-1) ?? 'check',
    finished: () => started.slice(0, -1),
    excerpt() {
      const lines = failure.split('\n');
      const mark = lines.findIndex((line) => line.includes('^^^^'));
      return mark > 0 ? ` at: ${lines[mark - 1]!.trim()}` : '';
    },
  };
}
