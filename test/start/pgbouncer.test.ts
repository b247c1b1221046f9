import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { createPool, UnusableDatabaseError } from '../../db/client.ts';
import { assertSameDatabase, assertSession } from '../../db/session.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { cloneDatabase, createEmptyDatabase } from '../support/database.ts';
import { isPgBouncerInstalled, startPgBouncer } from '../support/pgbouncer.ts';
import { endAll, newFolder, run, startSupervisor } from './support.ts';

afterEach(endAll);

const root = join(import.meta.dirname, '../..');
const { url, pool } = await cloneDatabase();
const told =
  /^DATABASE_URL: the pooler in front of PostgreSQL shares server connections .*: set its pool_mode to session, or name PostgreSQL itself, here or beside it in DATABASE_DIRECT_URL$/;

/** What the check says of a database; undefined when it lets it pass. */
const check = (databaseUrl: string) => askOn(databaseUrl, (client) => assertSession(client, databaseUrl));

/** What the check says of a pooled URL beside that of the database itself; undefined when it lets it pass. */
const checkBeside = (directUrl: string, pooledUrl: string) =>
  askOn(directUrl, (client) => assertSameDatabase(client, pooledUrl));

async function askOn(databaseUrl: string, ask: (client: Client) => Promise<void>): Promise<unknown> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await ask(client);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client.end();
  }
}

test('beside a direct URL another database is refused, also one of the same name on another server', async () => {
  const other = await createEmptyDatabase();
  const elsewhere = await startEmbedded({ dataDir: newFolder(), fast: true });
  const sameName = elsewhere.url.replace(/[^/]*$/, new URL(url).pathname.slice(1));
  await askOn(
    elsewhere.url,
    async (client) => void (await client.query(`create database "${new URL(url).pathname.slice(1)}"`)),
  );
  expect(await checkBeside(url, url)).toBeUndefined();
  for (const pooledUrl of [other.url, sameName])
    expect(String(await checkBeside(url, pooledUrl))).toMatch(
      /^Error: DATABASE_DIRECT_URL: not the database that .* server$/,
    );
  await elsewhere.stop();
});

test('a direct connection is a session, and costs the check one query', async () => {
  expect(await check(url)).toBeUndefined();
});

describe.skipIf(!isPgBouncerInstalled())('behind PgBouncer', () => {
  test('with pool_mode=session a pool works with default settings, its time limits in force', async () => {
    const databaseUrl = await startPgBouncer(url, { pool_mode: 'session' });
    const own = createPool({
      databaseUrl,
      max: 2,
      applicationName: 'test',
      deadlines: { statement: 12_000, lock: 7_000 },
    });
    const { rows } = await own.query(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
              current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    await own.end();
    expect(rows).toEqual([{ statement: '12s', lock: '7s', idle: '1min' }]);
    expect(await check(databaseUrl)).toBeUndefined();
  });

  test('a pool that gets no server connection from it fails after three seconds, as one that cannot connect does', async () => {
    const databaseUrl = await startPgBouncer(url, { pool_mode: 'session', default_pool_size: 1 });
    const holder = new Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query('select 1');
    const own = createPool({ databaseUrl, max: 1, applicationName: 'test' });
    await expect(own.query('select 1')).rejects.toThrow('timeout exceeded when trying to connect');
    await holder.end();
    expect((await own.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await own.end();
  });

  test.each<Record<string, string | number>>([
    { pool_mode: 'transaction' },
    { pool_mode: 'transaction', default_pool_size: 1 },
    { pool_mode: 'transaction', server_round_robin: 1, min_pool_size: 5 },
    { pool_mode: 'statement' },
    { pool_mode: 'statement', server_round_robin: 1, min_pool_size: 5 },
  ])('%o is found out, also while other clients compete for its connections', async (settings) => {
    const databaseUrl = await startPgBouncer(url, settings);
    expect(await check(databaseUrl)).toBeInstanceOf(UnusableDatabaseError);
    let competing = true;
    const others = Array.from({ length: 5 }, async () => {
      const client = new Client({ connectionString: databaseUrl });
      await client.connect();
      while (competing) await client.query('select 1');
      await client.end();
    });
    for (let turn = 0; turn < 20; turn += 1) expect(await check(databaseUrl)).toBeInstanceOf(UnusableDatabaseError);
    competing = false;
    await Promise.all(others);
  });

  test('two server connections that take turns are found out, though each of two clients could have one to itself', async () => {
    const databaseUrl = await startPgBouncer(url, { pool_mode: 'transaction', server_round_robin: 1 });
    const holders = [new Client({ connectionString: databaseUrl }), new Client({ connectionString: databaseUrl })];
    for (const holder of holders) {
      await holder.connect();
      await holder.query('begin');
    }
    for (const holder of holders) await holder.query('rollback');
    expect(await check(databaseUrl)).toBeInstanceOf(UnusableDatabaseError);
    for (const holder of holders) await holder.end();
  });

  test('beside a direct URL, pool_mode transaction and session pass, statement does not', async () => {
    for (const mode of ['transaction', 'session'])
      expect(
        await checkBeside(url, await startPgBouncer(url, { pool_mode: mode, default_pool_size: 1 })),
      ).toBeUndefined();
    const refused = await checkBeside(url, await startPgBouncer(url, { pool_mode: 'statement' }));
    expect(refused).toBeInstanceOf(UnusableDatabaseError);
    expect(String(refused)).toMatch(
      /^Error: DATABASE_URL: .* allows no transactions .*: set its pool_mode to transaction$/,
    );
  });

  test('a direct URL that leads to no session, elsewhere or nowhere ends a start with one line that names the setting', async () => {
    const pooled = await startPgBouncer(url, { pool_mode: 'transaction' });
    const other = await createEmptyDatabase();
    const nowhere = url.replace(/[^/]*$/, 'nowhere');
    const refusals: [string | undefined, string, number, RegExp][] = [
      [pooled, pooled, 78, told],
      [url, pooled, 78, /^DATABASE_DIRECT_URL: the pooler .* need a session: name PostgreSQL itself$/],
      [pooled, other.url, 78, /^DATABASE_DIRECT_URL: not the database that DATABASE_URL leads to; .* same server$/],
      [pooled, nowhere, 1, /^DATABASE_DIRECT_URL: database "nowhere" does not exist$/],
      [nowhere, url, 1, /^DATABASE_URL: database "nowhere" does not exist$/],
      [undefined, url, 78, /^DATABASE_URL: required with DATABASE_DIRECT_URL, the way past a pooler$/],
      [pooled, 'mysql://h/d', 78, /^DATABASE_DIRECT_URL: must be a postgres:\/\/ URL$/],
    ];
    for (const [databaseUrl, directUrl, code, line] of refusals) {
      const environment = {
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
        DATABASE_DIRECT_URL: directUrl,
        DATA_DIR: join(newFolder(), 'data'),
      };
      const running = run([join(root, 'shared/boot/migrate-cli.ts')], newFolder(), environment);
      expect([await running.end(), running.lines]).toEqual([code, [expect.stringMatching(line)]]);
    }
    const { rows } = await other.pool.query(`select to_regclass('public.migrations') as migrations`);
    expect(rows).toEqual([{ migrations: null }]);
  });

  test('a backup and its restore go past the pooler where a direct URL is set', async () => {
    const folder = newFolder();
    const file = join(folder, 'it.backup.gz');
    const source = { DATABASE_URL: await startPgBouncer(url, { pool_mode: 'transaction' }), DATABASE_DIRECT_URL: url };
    const backup = run([join(root, 'shared/boot/backup-cli.ts'), file], folder, source);
    expect([await backup.end(), backup.lines.at(-1)]).toEqual([
      0,
      expect.stringMatching(/it\.backup\.gz: [\d,]+ rows/),
    ]);
    const { url: emptyUrl } = await createEmptyDatabase();
    const pooled = await startPgBouncer(emptyUrl, { pool_mode: 'transaction' });
    const restore = (direct: string) =>
      run([join(root, 'shared/boot/restore-cli.ts'), file], folder, {
        DATABASE_URL: pooled,
        DATABASE_DIRECT_URL: direct,
      });
    const refused = restore(pooled);
    expect([await refused.end(), refused.lines]).toEqual([1, [expect.stringMatching(told)]]);
    const restored = restore(emptyUrl);
    expect([await restored.end(), restored.lines.at(-1)]).toEqual([0, expect.stringMatching(/^Restored [\d,]+ rows/)]);
  });

  test('pool_mode=transaction ends every process with one line and 78, and leaves no lock behind', async () => {
    const databaseUrl = await startPgBouncer(url, { pool_mode: 'transaction' });
    const environment = { DATABASE_URL: databaseUrl, PORT: '0', DATA_DIR: join(newFolder(), 'data') };
    for (const program of ['api/main.ts', 'workers/main.ts', 'scrapers/main.ts', 'shared/boot/migrate-cli.ts']) {
      const running = run([join(root, program)], newFolder(), environment);
      expect([program, await running.end(), running.lines]).toEqual([program, 78, [expect.stringMatching(told)]]);
    }
    const supervisor = startSupervisor(newFolder(), { api: 'api' }, { DATABASE_URL: databaseUrl });
    expect(await supervisor.end()).toBe(78);
    expect(supervisor.lines).toEqual([expect.stringMatching(told), 'Stopping …', 'Stopped.']);
    const { rows } = await pool.query(`select count(*)::int as locks from pg_locks
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`);
    expect(rows).toEqual([{ locks: 0 }]);
  });
});
