import { CompiledQuery, sql } from 'kysely';
import { Client, type Pool, type QueryResult } from 'pg';
import { describe, expect, test } from 'vitest';
import { createDatabase, createPool, inTransaction, sqlState, type PoolOptions } from '../../db/client.ts';
import { prepared } from '../../db/prepared.ts';
import { cloneDatabase } from '../support/database.ts';
import { isPgBouncerInstalled, startPgBouncer } from '../support/pgbouncer.ts';

const { url, pool: direct } = await cloneDatabase();
await direct.query('create table held ()');

const limitsOf = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
  current_setting('idle_in_transaction_session_timeout') as idle`;
const limits = { statement: '12s', lock: '7s', idle: '1min' };

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.skipIf(!isPgBouncerInstalled())('a pool behind a PgBouncer in transaction mode', () => {
  /** Works on a pool whose statements go round a few server connections, each seldom to the one before. */
  async function behindPooler(work: (pool: Pool, pooled: string) => Promise<void>, options: Partial<PoolOptions> = {}) {
    const databaseUrl = await startPgBouncer(url, {
      pool_mode: 'transaction',
      default_pool_size: 3,
      min_pool_size: 3,
      server_round_robin: 1,
    });
    const given = { applicationName: 'test', max: 8, deadlines: { statement: 12_000, lock: 7_000 } };
    const pool = createPool({ databaseUrl, transactionPooling: true, ...given, ...options });
    await work(pool, databaseUrl);
    await pool.end();
  }

  test('has its time limits in force in every statement and in every transaction', () =>
    behindPooler(async (pool) => {
      for (let round = 0; round < 5; round += 1) {
        expect((await pool.query(limitsOf)).rows).toEqual([limits]);
        expect((await pool.query(`${limitsOf} where $1`, [true])).rows).toEqual([limits]);
        for (const begin of ['begin', 'begin isolation level serializable, read only']) {
          const client = await pool.connect();
          await client.query(begin);
          expect((await client.query(limitsOf)).rows).toEqual([limits]);
          await client.query(`set local statement_timeout = '1s'`);
          expect((await client.query(`${limitsOf} where $1`, [true])).rows).toEqual([{ ...limits, statement: '1s' }]);
          await client.query('commit');
          client.release();
        }
        const db = createDatabase(pool);
        const inside = await inTransaction(db, (tx) => tx.executeQuery(CompiledQuery.raw(limitsOf)), {
          isolation: 'repeatable read',
        });
        expect(inside.rows).toEqual([limits]);
      }
    }));

  test('ends long statements and lock waits by themselves, and goes on with what comes next', () =>
    behindPooler(
      async (pool) => {
        expect(sqlState(await failureOf(pool.query('select pg_sleep(5)')))).toBe('57014');
        expect(sqlState(await failureOf(pool.query('select pg_sleep($1)', [5])))).toBe('57014');
        const holder = await direct.connect();
        await holder.query('begin; lock table held');
        expect(sqlState(await failureOf(pool.query('select from held')))).toBe('55P03');
        expect(sqlState(await failureOf(pool.query('select from held where $1', [true])))).toBe('55P03');
        await holder.query('rollback');
        holder.release();
        const db = createDatabase(pool);
        const work = (seconds: number) => inTransaction(db, (tx) => sql`select pg_sleep(${seconds})`.execute(tx));
        expect(sqlState(await failureOf(work(5)))).toBe('57014');
        expect(await failureOf(work(0))).toBeUndefined();
        expect(pool.totalCount).toBeGreaterThan(0);
      },
      { deadlines: { statement: 100, lock: 50 } },
    ));

  test('leaves nothing in the sessions that others get: no setting, no prepared statement, no lock', () =>
    behindPooler(async (pool, pooled) => {
      const db = createDatabase(pool);
      const named = (n: number) => prepared(CompiledQuery.raw('select $1::int + 1 as next', [n]));
      await Promise.all(
        Array.from({ length: 50 }, async (_, n) => {
          expect((await db.executeQuery(named(n))).rows).toEqual([{ next: n + 1 }]);
          expect((await inTransaction(db, (tx) => tx.executeQuery(named(n)))).rows).toEqual([{ next: n + 1 }]);
          expect((await pool.query({ name: 'twice', text: 'select $1::int * 2 as n', values: [n] })).rows).toEqual([
            { n: 2 * n },
          ]);
        }),
      );
      const others = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const client = new Client({ connectionString: pooled });
          await client.connect();
          await client.query('begin');
          return client;
        }),
      );
      const left = `select pg_backend_pid() as pid, current_setting('statement_timeout') as statement,
        current_setting('lock_timeout') as lock, (select count(*)::int from pg_prepared_statements) as named,
        (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`;
      const pids = new Set<number>();
      for (const client of others) {
        const { rows } = await client.query<{ pid: number }>(left);
        expect(rows).toEqual([{ pid: expect.anything(), statement: '0', lock: '0', named: 0, locks: 0 }]);
        pids.add(rows[0]!.pid);
      }
      expect(pids.size).toBe(3);
      await Promise.all(others.map((client) => client.end()));
    }));

  test('answers as a pool of sessions does: rows, counts, several results, callbacks and failures', () =>
    behindPooler(async (pool) => {
      const script = 'select 1 as one; select 2 as two, 3 as three';
      const told = (results: unknown) =>
        (results as QueryResult[]).map(({ command, rowCount, rows, fields }) => ({
          command,
          rowCount,
          rows,
          fields: fields.map(({ name }) => name),
        }));
      expect(told(await pool.query(script))).toEqual(told(await direct.query(script)));
      for (const values of [undefined, ['x']]) {
        const text = `select 5::int8 as big, date '2024-02-29' as day ${values ? 'where $1::text is not null' : ''}`;
        expect((await pool.query(text, values)).rows).toEqual([{ big: 5, day: '2024-02-29' }]);
      }
      const { rowCount, rows, command } = await pool.query('select where $1', [false]);
      expect([rowCount, rows, command]).toEqual([0, [], 'SELECT']);
      const client = await pool.connect();
      const byCallback = Promise.withResolvers<unknown>();
      client.query('select $1::int as n', [4], (error: Error | null, result) =>
        byCallback.resolve([error, result.rows]),
      );
      expect(await byCallback.promise).toEqual([null, [{ n: 4 }]]);
      const failure = (await failureOf(client.query('select 1 / $1::int', [0]))) as Error;
      expect([sqlState(failure), failure.stack]).toEqual(['22012', expect.stringContaining('pooled-client.test.ts')]);
      expect(sqlState(await failureOf(client.query('select nothing')))).toBe('42703');
      expect(
        await failureOf(
          client.query('select $1::text', [
            {
              toPostgres: () => {
                throw new Error('no value');
              },
            },
          ]),
        ),
      ).toEqual(new Error('no value'));
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      client.release();
    }));
});
