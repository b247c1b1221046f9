import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { createPool, UnusableDatabaseError } from '../../db/client.ts';
import { assertSession } from '../../db/session.ts';
import { cloneDatabase } from '../support/database.ts';
import { isPgBouncerInstalled, startPgBouncer } from '../support/pgbouncer.ts';
import { endAll, newFolder, run, startSupervisor } from './support.ts';

afterEach(endAll);

const root = join(import.meta.dirname, '../..');
const { url, pool } = await cloneDatabase();
const told =
  /^DATABASE_URL: the pooler in front of PostgreSQL shares server connections .*: set its pool_mode to session, or name PostgreSQL itself$/;

/** What the check says of a database; undefined when it lets it pass. */
async function check(databaseUrl: string): Promise<unknown> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await assertSession(client, databaseUrl);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client.end();
  }
}

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
      statementTimeoutMs: 12_000,
      lockTimeoutMs: 7_000,
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
