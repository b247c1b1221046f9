import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import {
  assertUsable,
  createPool,
  inTransaction,
  isConnectionError,
  isTransient,
  sqlState,
  UnusableDatabaseError,
  type PoolOptions,
} from '../../db/client.ts';
import { cloneDatabase } from '../support/database.ts';

const { pool, url, db } = await cloneDatabase();

async function withPool<T>(options: Partial<PoolOptions>, work: (pool: ReturnType<typeof createPool>) => Promise<T>) {
  const own = createPool({ databaseUrl: url, max: 2, applicationName: 'test client', ...options });
  try {
    return await work(own);
  } finally {
    await own.end();
  }
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

test('numbers arrive as numbers, dates as text and moments as Date', async () => {
  const { rows } = await pool.query(
    `select 5::int8 as big, 1.5::numeric as exact, array[1,null]::int8[] as list, date '2024-02-29' as day,
            array[date '2024-02-29'] as days, timestamptz '2024-02-29 12:00+00' as moment`,
  );
  expect(rows[0]).toEqual({
    big: 5,
    exact: 1.5,
    list: [1, null],
    day: '2024-02-29',
    days: ['2024-02-29'],
    moment: new Date('2024-02-29T12:00:00Z'),
  });
});

test('a connection killed while idle or in use costs one query at most, and nothing piles up on the next ones', async () => {
  const lost: string[] = [];
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  await withPool({ onError: (error) => lost.push(error.message) }, async (own) => {
    for (let round = 0; round < 15; round += 1) {
      await Promise.all([own.query('select 1'), own.query('select 1')]);
      const running = failureOf(own.query('select pg_sleep(20)'));
      await expect
        .poll(
          async () => (await pool.query(`select from pg_stat_activity where query = 'select pg_sleep(20)'`)).rowCount,
        )
        .toBe(1);
      await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test client'`);
      expect(isConnectionError(await running)).toBe(true);
      await expect.poll(() => own.totalCount).toBe(0);
      expect(lost.length).toBeGreaterThan(round);
    }
    await expect.poll(() => failureOf(own.query('select 1'))).toBeUndefined();
  });
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});

test('a full pool refuses at the deadline with a connection error instead of waiting for ever', async () => {
  await withPool({ max: 1, deadlines: { connectionWait: 300 } }, async (own) => {
    const holder = await own.connect();
    const error = await failureOf(own.query('select 1'));
    holder.release();
    expect(isConnectionError(error)).toBe(true);
  });
});

test('a server that accepts and says nothing is a connection error at the deadline', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const silently = { databaseUrl: `postgres://u:p@127.0.0.1:${port}/x`, deadlines: { connectionWait: 300 } };
  const error = await withPool(silently, (own) => failureOf(own.query('select 1')));
  silent.close();
  expect(isConnectionError(error)).toBe(true);
});

test('who asks a server that recovers from a crash is served once it does, and asks no more than once', async () => {
  const { hostname, port } = new URL(url);
  const refusal = Buffer.from('SFATAL\0C57P03\0Mthe database system is in recovery mode\0\0');
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(refusal.length + 4, 1);
  let asked = 0;
  let isRecovering = true;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    if (!isRecovering) return void socket.pipe(connect(Number(port), hostname)).pipe(socket);
    asked += 1;
    socket.once('data', () => socket.end(Buffer.concat([head, refusal])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  setTimeout(() => (isRecovering = false), 4_000);
  await withPool({ databaseUrl: proxied.href, max: 5 }, async (own) => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => failureOf(own.query('select 1'))));
    expect(answers.filter((error) => error !== undefined)).toEqual([]);
  });
  expect(asked).toBeGreaterThan(0);
  // Each of them once, then one every 100 ms for all.
  expect(asked).toBeLessThanOrEqual(200 + 40);
  server.close();
});

test('long statements, lock waits and idle transactions end by themselves', async () => {
  await withPool({ deadlines: { statement: 100, lock: 50 } }, async (own) => {
    expect(sqlState(await failureOf(own.query('select pg_sleep(5)')))).toBe('57014');
    await pool.query('create table locked ()');
    const holder = await pool.connect();
    await holder.query('begin; lock table locked');
    expect(sqlState(await failureOf(own.query('select from locked')))).toBe('55P03');
    await holder.query('rollback');
    holder.release();
    expect((await own.query('show idle_in_transaction_session_timeout')).rows).toEqual([
      { idle_in_transaction_session_timeout: '1min' },
    ]);
  });
});

test.each([
  ['53300', true],
  ['57P01', true],
  ['08006', true],
  ['25006', true],
  ['ECONNREFUSED', true],
  ['23505', false],
  ['40001', false],
  ['ENOENT', false],
])('an error with code %s is a connection error: %s, also as a cause', (code, expected) => {
  const error = Object.assign(new Error('x'), { code });
  expect(isConnectionError(error)).toBe(expected);
  expect(isConnectionError(new Error('wrapped', { cause: error }))).toBe(expected);
});

test('a transaction that loses a race is run again, another failure is not', async () => {
  await pool.query('create table counters (n integer); insert into counters values (0)');
  const add = () =>
    inTransaction(
      db,
      async (transaction) => {
        const { rows } = await sql<{ n: number }>`select n from counters`.execute(transaction);
        await sql`update counters set n = ${rows[0]!.n + 1}`.execute(transaction);
      },
      { isolation: 'serializable', retries: 50 },
    );
  await Promise.all(Array.from({ length: 8 }, add));
  expect((await pool.query('select n from counters')).rows).toEqual([{ n: 8 }]);

  let runs = 0;
  const error = await failureOf(
    inTransaction(db, async (transaction) => {
      runs += 1;
      await sql`select 1 / 0`.execute(transaction);
    }),
  );
  expect([runs, sqlState(error), isTransient(error)]).toEqual([1, '22012', false]);
});

test('a database in another encoding is refused in one line', async () => {
  const server = new Client({ connectionString: inject('databaseServer') });
  await server.connect();
  await server.query(
    `create database ascii_test template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`,
  );
  const ascii = url.replace(/[^/]*$/, 'ascii_test');
  const error = await withPool({ databaseUrl: ascii }, (own) => failureOf(assertUsable(own)));
  await server.query('drop database ascii_test with (force)');
  await server.end();
  expect(error).toBeInstanceOf(UnusableDatabaseError);
  expect(String(error)).toMatch(/^Error: DATABASE_URL: the database is encoded in SQL_ASCII; .*UTF8$/);
});
