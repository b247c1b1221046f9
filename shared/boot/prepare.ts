import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createDatabase, createPool, inTransaction } from '../../db/client.ts';
import { isConnectionError, sqlState } from '../../db/errors.ts';
import { assertSameDatabase, assertSession, directSetting, type UrlSetting } from '../../db/session.ts';
import { systemClock } from '../kit/clock.ts';
import { ConfigError, exitRefused, type Config } from '../kit/config.ts';
import type { Deadlines } from '../kit/deadlines.ts';
import { asDataDirError, ensureDataDir } from '../kit/data-dir.ts';
import { readMarketplace, type MarketplaceDocument } from '../profiles/read-profile.ts';
import { queueNames, queueOf } from '../queues/queues.ts';
import { StartError } from '../kit/reserve-port.ts';
import { loadSecrets } from '../kit/secrets.ts';

/** A configuration that can be started with: a database and a session secret are known. */
export type ReadyConfig = Config & { databaseUrl: string; directDatabaseUrl: string; jwtSecrets: string[] };

const preparationLock = 5_163_880_220;

/**
 * Makes a process ready to start alone: it needs DATABASE_URL, takes or makes the session secret, and brings the database up
 * to date. What cannot be used ends the process with one line and exit code 78. Processes that start together take turns; when
 * all is done it costs milliseconds.
 */
export async function prepare(config: Config, { receivesFiles = false } = {}): Promise<ReadyConfig> {
  try {
    const { databaseUrl, directDatabaseUrl = databaseUrl } = config;
    if (!databaseUrl || !directDatabaseUrl)
      throw new ConfigError('DATABASE_URL: required when a process starts alone; `npm start` brings its own database');
    if (receivesFiles || !config.jwtSecrets || !config.s3 || !config.mail.smtpUrl) ensureDataDir(config.dataDir);
    await prepareWhenReachable(directDatabaseUrl, config);
    const jwtSecrets = config.jwtSecrets ?? [loadSecrets(config.dataDir).jwtSecret];
    return { ...config, databaseUrl, directDatabaseUrl, jwtSecrets };
  } catch (thrown) {
    const error = asDataDirError(thrown, config.dataDir);
    if (!(error instanceof StartError)) return exitRefused(error);
    console.error(error.message);
    process.exit(1);
  }
}

/** As prepareDatabase, for a server that may still be coming up: one that is not there at its deadline, or refuses the login, is a StartError. */
async function prepareWhenReachable(directUrl: string, config: Config): Promise<void> {
  for (const deadline = performance.now() + config.deadlines.databaseStart; ; await sleep(500)) {
    try {
      await prepareDatabase(directUrl, config);
      return;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (isLoginRefused(error) || performance.now() > deadline)
        throw error instanceof StartError ? error : asStartError(directSetting(config), error);
    }
  }
}

const isLoginRefused = (error: unknown) => /^(28|3D)/.test(sqlState(error) ?? '');
const isUnreachable = (error: unknown) => isLoginRefused(error) || isConnectionError(error);
const asStartError = (setting: UrlSetting, cause: unknown) =>
  new StartError(`${setting}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });

/**
 * Migrations, queues, categories and the configured admin, in this order; repeating it changes nothing. Refuses a URL that leads
 * to no session, and a pooled one that leads elsewhere.
 */
export async function prepareDatabase(directUrl: string, config: Config): Promise<void> {
  const { deadlines } = config;
  const lock = new pg.Client({
    connectionString: directUrl,
    connectionTimeoutMillis: deadlines.startConnection,
    query_timeout: deadlines.startQuery,
    application_name: 'quayside prepare',
  });
  lock.on('error', () => {
    // The query in flight rejects with the same error.
  });
  await lock.connect();
  try {
    await assertSession(lock, directUrl, directSetting(config), deadlines);
    if (config.transactionPooling && config.databaseUrl) await assertPooled(lock, config.databaseUrl, deadlines);
    await waitForTurn(lock);
    const marketplace = await readMarketplace(config);
    const fingerprint = fingerprintOf(marketplace);
    if ((await readFingerprint(lock)) !== fingerprint) {
      await bringUpToDate(directUrl, marketplace, deadlines);
      await writeFingerprint(lock, fingerprint);
    }
    if (config.admin) await ensureConfiguredAdmin(directUrl, config.admin, deadlines);
  } finally {
    await lock.end();
  }
}

/** As assertSameDatabase; a pooler that cannot be reached is told of by its own setting. */
async function assertPooled(direct: pg.Client, pooledUrl: string, deadlines: Deadlines): Promise<void> {
  try {
    await assertSameDatabase(direct, pooledUrl, deadlines);
  } catch (error) {
    throw isUnreachable(error) ? asStartError('DATABASE_URL', error) : error;
  }
}

/** What is seldom needed is loaded when it is: most starts find everything done. */
async function bringUpToDate(
  databaseUrl: string,
  marketplace: MarketplaceDocument,
  deadlines: Deadlines,
): Promise<void> {
  const { migrate } = await import('../../db/migrate.ts');
  await migrate(databaseUrl, { connectWithinMs: deadlines.startConnection });
  const { ensureQueues } = await import('../queues/jobs.ts');
  await ensureQueues(databaseUrl);
  const { seedCategories } = await import('../catalog/seed-categories.ts');
  const { readEditedMarketplace } = await import('../catalog/marketplace.ts');
  await withDatabase(databaseUrl, deadlines, async (db) => {
    const { profile } = await readEditedMarketplace(db, marketplace);
    await inTransaction(db, (tx) => seedCategories(tx, profile));
  });
}

async function ensureConfiguredAdmin(
  databaseUrl: string,
  admin: NonNullable<Config['admin']>,
  deadlines: Deadlines,
): Promise<void> {
  const { ensureAdmin } = await import('../accounts/ensure-admin.ts');
  const { createPasswords } = await import('../accounts/password.ts');
  await withDatabase(databaseUrl, deadlines, (db) => ensureAdmin(db, createPasswords(), admin, systemClock.now()));
}

/** Asks again and again instead of waiting in the server: a waiting session would block CREATE INDEX CONCURRENTLY for ever. */
async function waitForTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      preparationLock,
    ]);
    if (rows[0]?.taken) return;
    await sleep(50);
  }
}

async function withDatabase(
  databaseUrl: string,
  deadlines: Deadlines,
  work: (db: ReturnType<typeof createDatabase>) => Promise<void>,
): Promise<void> {
  const pool = createPool({ databaseUrl, max: 1, applicationName: 'quayside prepare', deadlines });
  try {
    await work(createDatabase(pool));
  } finally {
    await pool.end();
  }
}

/** Everything a preparation depends on: when this is unchanged, so is the database. */
function fingerprintOf({ name, categories }: MarketplaceDocument): string {
  const migrations = readdirSync(new URL('../../db/migrations/', import.meta.url)).toSorted();
  const queues = queueNames.map((queue) => ({ ...queueOf(queue), payload: undefined, name: queue }));
  return createHash('sha256').update(JSON.stringify({ name, categories, migrations, queues })).digest('hex');
}

async function readFingerprint(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ known: boolean }>(`select to_regclass('preparations') is not null as known`);
  if (!rows[0]?.known) return undefined;
  const done = await client.query<{ fingerprint: string }>('select fingerprint from preparations');
  return done.rows[0]?.fingerprint;
}

async function writeFingerprint(client: pg.Client, fingerprint: string): Promise<void> {
  await client.query(
    `insert into preparations (only_row, fingerprint, prepared_at) values (true, $1, now())
     on conflict (only_row) do update set fingerprint = excluded.fingerprint, prepared_at = excluded.prepared_at`,
    [fingerprint],
  );
}
