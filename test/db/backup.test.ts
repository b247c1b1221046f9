import { createReadStream, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportDatabase, type ExportOptions, type ExportSummary } from '../../db/backup.ts';
import { importDatabase } from '../../db/restore.ts';
import { cloneDatabase, createEmptyDatabase } from '../support/database.ts';
import { makeTestFolder } from '../support/folders.ts';

const folder = makeTestFolder();
const source = await cloneDatabase();
const oddNames = ['line\nbreak\ttab\\back\\.slash', '\\N', '\\.', '\u{1f6a2} é "quoted", {x}'];

beforeAll(async () => {
  await insertUsers(source.pool, 0, 200);
  await source.pool.query(
    `insert into users (id, email, name, created_at, updated_at)
     select 'usr_odd' || n, 'odd' || n || '@example.org', name, 'infinity', '2024-02-29 12:00:00.123456+00'
     from unnest($1::text[]) with ordinality as odd (name, n)`,
    [oddNames],
  );
  await source.pool.query(
    String.raw`insert into api_keys (id, user_id, key_hash, key_prefix, label, permissions, created_at)
      values ('apk_1', 'usr_odd1', '\x00ff5c2e0a', '', 'k', 'read', now())`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Users in pairs with an event each, in one transaction. */
async function insertUsers(pool: Pool, from: number, count: number): Promise<void> {
  await pool.query(
    `with made as (
       insert into users (id, email, name, created_at, updated_at)
       select 'usr_' || n, n || '@example.org', 'User ' || n, now(), now() from generate_series($1::int, $1::int + $2::int - 1) as n
       returning id)
     insert into events (type, subject, owner_id, data, created_at)
     select 'user.created', id, id, '{"a": "\\"\\\\\\n", "b": [null, 1.10]}', now() from made`,
    [from, count],
  );
}

async function backUp(
  name: string,
  onProgress: ExportOptions['onProgress'] = () => {},
): Promise<{ file: string; summary: ExportSummary }> {
  const file = join(folder, name);
  await using handle = await open(file, 'w');
  const summary = await exportDatabase(source.url, (chunk) => handle.writeFile(chunk), { onProgress });
  return { file, summary };
}

/** For every table the number of its rows and a checksum over all of them, transaction ids apart. */
async function checksums(pool: Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
       and relpersistence = 'p' and relname not in ('migrations', 'preparations')`,
  );
  const sums: Record<string, string> = {};
  for (const { name } of rows) {
    const { rows: sum } = await pool.query<{ sum: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(row, ',' order by row)), '') as sum
       from (select (to_jsonb(t) - 'xid')::text as row from public.${name} t) as rows`,
    );
    sums[name] = sum[0]!.sum;
  }
  return sums;
}

test('a restored database has every row as it was, every key, index and trigger, and its sequences go on', async () => {
  const { file, summary } = await backUp('whole.gz');
  const target = await createEmptyDatabase();
  const progress: string[] = [];
  const restored = await importDatabase(target.url, createReadStream(file), ({ table, rows, totalRows }) =>
    progress.push(`${table} ${rows}/${totalRows}`),
  );

  const before = await checksums(source.pool);
  expect(await checksums(target.pool)).toEqual(before);
  expect(before['users']).toMatch(/^204 /);
  expect(restored).toMatchObject({ rows: summary.rows, tables: summary.tables, migrated: [] });
  expect(progress).toContain('users 204/204');
  const shape = `
    select conname::text as name, pg_get_constraintdef(oid) as definition from pg_constraint where connamespace = 'public'::regnamespace
    union all select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index
      where indisvalid and indexrelid::regclass::text !~ '^pg_|pgboss'
    union all select tgname::text, tgenabled::text || pg_get_triggerdef(oid) from pg_trigger
      where not tgisinternal and tgrelid::regclass::text !~ '^pgboss'
    order by 1, 2`;
  expect((await target.pool.query(shape)).rows).toEqual((await source.pool.query(shape)).rows);
  const { rows } = await target.pool.query(
    `insert into events (type, subject, data, created_at) values ('ping', 'x', '{}', now())
     returning seq > (select max(seq) from events) as next, xid > '0' as live`,
  );
  expect(rows).toEqual([{ next: true, live: true }]);
});

test('a backup under writes holds every table as it was at one moment, whole transactions only', async () => {
  // What does not compress leaves the packer early, so that the export can be held while it is at work.
  await source.pool.query(
    `insert into events (type, subject, data, created_at)
     select 'ping', 'large', jsonb_build_object('x', (select string_agg(gen_random_uuid()::text, '') from generate_series(1, 2000) where n > 0)), now()
     from generate_series(1, 30) as n`,
  );
  const load = startWriters();
  await load.wrote(20);
  await load.pause();
  let before: Record<string, string> | undefined;
  const file = join(folder, 'busy.gz');
  await using handle = await open(file, 'w');
  await exportDatabase(source.url, async (chunk) => {
    await handle.writeFile(chunk);
    if (before) return;
    before = await checksums(source.pool);
    load.resume();
    await load.wrote(20);
  });
  await load.stop();

  const target = await createEmptyDatabase();
  await importDatabase(target.url, createReadStream(file));
  expect(await checksums(target.pool)).toEqual(before);
  expect(await checksums(source.pool)).not.toEqual(before);
  const { rows } = await target.pool.query(
    `select count(*) filter (where e.seq is null) as without_event, count(*) % 2 as halves, count(*) >= 220 as complete
     from users u left join events e on e.subject = u.id where u.id !~ 'odd'`,
  );
  expect(rows).toEqual([{ without_event: 0, halves: 0, complete: true }]);
  await source.pool.query(`delete from events where subject = 'large'`);
});

/** Two writers of transactions that insert, update and delete, until they are stopped. */
function startWriters() {
  const done = new AbortController();
  let written = 0;
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const busy: Promise<void>[] = [];
  const writers = [1, 2].map(async (writer) => {
    for (let round = 0; !done.signal.aborted; round += 1) {
      await gate.promise;
      const from = writer * 1_000_000 + round * 2;
      busy[writer] = (async () => {
        await insertUsers(source.pool, from, 2);
        await source.pool.query(`update users set name = 'renamed ' || $1 where id = $2`, [
          round,
          `usr_${round % 100}`,
        ]);
        const subject = `usr_${50 + writer * 50 + (round % 50)}`;
        await source.pool.query(`delete from events where subject = $1`, [subject]);
        await source.pool.query(
          `insert into events (type, subject, owner_id, data, created_at) values ('user.created', $1, $1, '{}', now())`,
          [subject],
        );
      })();
      await busy[writer];
      written += 1;
    }
  });
  return {
    async wrote(count: number) {
      const wanted = written + count;
      await expect.poll(() => written, { interval: 5 }).toBeGreaterThanOrEqual(wanted);
    },
    async pause() {
      gate = Promise.withResolvers<void>();
      await Promise.all(busy);
    },
    resume: () => gate.resolve(),
    async stop() {
      done.abort();
      await Promise.all(writers);
    },
  };
}

test('a follower of the journal that had events before it still gets them from the restored database', async () => {
  const cursor = (seq: number) =>
    source.pool.query(
      `insert into journal_cursors (reader, xid, seq, updated_at) select 'r' || $1::int, xid, seq, now() from events where seq = $1::int`,
      [seq],
    );
  await cursor(7);
  await source.pool.query(`update events set xid = pg_current_xact_id() where seq = 3`);
  const { file } = await backUp('cursors.gz');
  const target = await createEmptyDatabase();
  await importDatabase(target.url, createReadStream(file));
  const { rows } = await target.pool.query(
    `select min(e.seq) as next from journal_cursors c join events e on (e.xid, e.seq) > (c.xid, c.seq) where reader = 'r7'`,
  );
  expect(rows).toEqual([{ next: 3 }]);
});

test('a database with rows is refused and keeps them', async () => {
  const { file } = await backUp('refused.gz');
  const before = await checksums(source.pool);
  await expect(importDatabase(source.url, createReadStream(file))).rejects.toThrow(
    /^The database is not empty \(.* has rows\)/,
  );
  expect(await checksums(source.pool)).toEqual(before);
});

test.each([
  ['a file cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 200), /damaged or cut off/],
  [
    'a changed value',
    (bytes: Buffer) =>
      gzipSync(Buffer.from(gunzipSync(bytes).toString('latin1').replace('User 17', 'User 71'), 'latin1')),
    /table users does not match its checksum/,
  ],
  ['another gzip file', () => gzipSync('hello\n'), /not a backup of this service/],
  ['a file of a newer release', () => gzipSync('{"format":"quayside-backup","version":99}\n'), /newer release/],
])('%s is refused in one line and leaves the database empty', async (_case, change, message) => {
  const { file } = await backUp('changed.gz');
  writeFileSync(file, change(readFileSync(file)));
  const target = await createEmptyDatabase();
  await expect(importDatabase(target.url, createReadStream(file))).rejects.toThrow(message);
  const rowsLeft = await target.pool.query('select count(*) from users').then(
    ({ rows }) => rows[0].count,
    (error: { code: string }) => error.code,
  );
  // 42P01: not even a table was made.
  expect([0, '42P01']).toContain(rowsLeft);
});

test('an export whose reader fails ends with that error and frees its connection', async () => {
  await expect(exportDatabase(source.url, () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full');
  await expect
    .poll(
      async () =>
        (await source.pool.query(`select count(*) from pg_stat_activity where application_name = 'quayside backup'`))
          .rows,
    )
    .toEqual([{ count: 0 }]);
});

test('an export that is told to stop ends with the reason and frees its connection', async () => {
  const stop = new AbortController();
  const reason = new Error('cancelled');
  const options = { signal: stop.signal, onProgress: () => stop.abort(reason) };
  await expect(exportDatabase(source.url, () => Promise.resolve(), options)).rejects.toBe(reason);
  await expect
    .poll(
      async () =>
        (await source.pool.query(`select count(*) from pg_stat_activity where application_name = 'quayside backup'`))
          .rows,
    )
    .toEqual([{ count: 0 }]);
});
