import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../db/migrate.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { makeTestFolder } from '../support/folders.ts';

let folder: string;

beforeEach(() => {
  folder = makeTestFolder();
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeMigration(name: string, sql: string): void {
  writeFileSync(join(folder, `${name}.sql`), `-- Up Migration\n${sql}\n\n-- Down Migration\n`);
}

test('starts in parallel: one migrates, the others wait for it and apply nothing', async () => {
  writeMigration('0001_slow', 'select pg_sleep(0.3); create table once (n integer);');
  writeMigration('0002_more', 'insert into once values (1);');
  const { url, pool } = await createEmptyDatabase();
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => migrate(url, { folder })));
  expect(outcomes.toSorted((a, b) => b.length - a.length)).toEqual([['0001_slow', '0002_more'], [], [], []]);
  expect((await pool.query('select count(*) from once')).rows).toEqual([{ count: 1 }]);
});

test('a failing migration is named with its line, leaves nothing behind and lets the next try go on', async () => {
  const { url, pool } = await createEmptyDatabase();
  writeMigration('0001_good', 'create table good ();');
  writeMigration('0002_bad', 'create table half ();\nselect nothing_like_this;');
  await expect(migrate(url, { folder })).rejects.toThrow(
    /^Migration 0002_bad failed: column "nothing_like_this" does not exist at: select nothing_like_this;$/,
  );
  expect(
    (await pool.query(`select to_regclass('good') is not null as good, to_regclass('half') is not null as half`)).rows,
  ).toEqual([{ good: true, half: false }]);
  writeMigration('0002_bad', 'create table half ();');
  expect(await migrate(url, { folder })).toEqual(['0002_bad']);
});

test('a migration slipped in before one already applied is refused', async () => {
  const { url } = await createEmptyDatabase();
  writeMigration('0002_second', 'select 1;');
  await migrate(url, { folder });
  writeMigration('0001_first', 'select 1;');
  await expect(migrate(url, { folder })).rejects.toThrow(/0001_first is preceding already run migration 0002_second/);
});

test('older code starts on a newer schema', async () => {
  const { url } = await createEmptyDatabase();
  writeMigration('0001_first', 'select 1;');
  writeMigration('0002_second', 'select 1;');
  await migrate(url, { folder });
  rmSync(join(folder, '0002_second.sql'));
  expect(await migrate(url, { folder })).toEqual([]);
});

test('a migration that meets a long lock gives way to the traffic and succeeds afterwards', async () => {
  const { url, pool } = await createEmptyDatabase();
  writeMigration('0001_table', 'create table busy ();');
  await migrate(url, { folder });
  writeMigration('0002_column', 'alter table busy add column n integer;');
  const holder = await pool.connect();
  await holder.query('begin; select from busy');
  const migrating = migrate(url, { folder });
  await expect
    .poll(
      async () =>
        (await pool.query(`select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'add column'`))
          .rowCount,
    )
    .toBe(1);
  // At the deadline for locks it would fail.
  await pool.query('select from busy');
  await holder.query('commit');
  holder.release();
  expect(await migrating).toEqual(['0002_column']);
});

test('an index built concurrently lets others write meanwhile, and one that failed is built again', async () => {
  const { url, pool } = await createEmptyDatabase();
  writeMigration('0001_table', 'create table busy (n integer);\ninsert into busy values (1), (1);');
  await migrate(url, { folder });
  writeMigration(
    '0002_index',
    '-- Twice; once.\ndrop index concurrently if exists busy_n;\ncreate unique index concurrently busy_n on busy (n);',
  );
  await expect(migrate(url, { folder })).rejects.toThrow(/^Migration 0002_index failed: could not create unique index/);
  await pool.query('delete from busy where ctid = (select min(ctid) from busy)');
  const writer = await pool.connect();
  await writer.query('begin; insert into busy values (2)');
  const migrating = migrate(url, { folder });
  const isWaiting = async () =>
    (await pool.query(`select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'busy_n'`)).rowCount;
  await expect.poll(isWaiting).toBe(1);
  await pool.query('insert into busy values (3)');
  await writer.query('commit');
  writer.release();
  expect(await migrating).toEqual(['0002_index']);
  expect((await pool.query(`select indisvalid from pg_index where indexrelid = 'busy_n'::regclass`)).rows).toEqual([
    { indisvalid: true },
  ]);
});
