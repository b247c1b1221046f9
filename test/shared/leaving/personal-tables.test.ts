import { afterAll, beforeAll, expect, test } from 'vitest';
import { personalTables } from '../../../shared/leaving/personal-tables.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

/** Columns that hold a user: by their foreign key, or by a name that such columns have. */
async function tablesOfPeople(): Promise<Map<string, string[]>> {
  const { rows } = await database.pool.query<{ name: string; column: string }>(
    `select c.relname as name, a.attname as column from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where n.nspname = 'public' and c.relkind = 'r' and (
       exists (select from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and f.confrelid = 'users'::regclass and a.attnum = any(f.conkey))
       or (a.atttypid in ('text'::regtype, 'text[]'::regtype)
         and a.attname ~ '^(user|owner|seller|buyer|renter|reviewer|reporter|sender|actor|blocker|blocked|moderator|subject|caller|email)(_id|_user_id)?$|_by$|_user_id$'))
     order by 1, 2`,
  );
  return new Map(
    Object.entries(Object.groupBy(rows, ({ name }) => name)).map(([name, own = []]) => [
      name,
      own.map(({ column }) => column),
    ]),
  );
}

/** Tables with a column that only looks like one of a person. */
const others: Record<string, string> = {
  account_link_requests:
    'An address that a link was asked for, with or without an account; gone when it is answered, and when its account leaves.',
  picture_uses: 'Its subject is a listing or a rental.',
};

test('every table that refers to a user is in the archive and is erased, or says why not', async () => {
  const tables = await tablesOfPeople();
  const forgotten = [...tables].filter(([name]) => !Object.hasOwn(personalTables, name) && !others[name]);
  expect(
    forgotten.map(([name, columns]) => `${name} (${columns.join(', ')})`),
    `These tables refer to people. Add each to shared/leaving/personal-tables.ts: under "archive" the section of a person's archive that
holds its rows (or the reason why none does), under "leaving" what becomes of them when the person leaves. What is "deleted" needs an entry in
shared/leaving/erase-rows.ts, unless its foreign key deletes it or leave.ts does; plant a text in it in test/support/leaving.ts.`,
  ).toEqual([]);
});

test('no table of the list is gone, and each section of the archive is one table', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  const known = new Set(rows.map(({ name }) => name));
  expect(Object.keys(personalTables).filter((name) => !known.has(name))).toEqual([]);
  const sections = Object.values(personalTables).flatMap(({ archive }) =>
    'section' in archive ? archive.section : [],
  );
  expect(sections.toSorted()).toEqual([...new Set(sections)].toSorted());
});

test('what the archive leaves out of a table are columns of it', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
  );
  const known = new Set(rows.map(({ name }) => name));
  const omitted = Object.entries(personalTables).flatMap(([table, { archive }]) =>
    'section' in archive ? (archive.omit ?? []).map((column) => `${table}.${column}`) : [],
  );
  expect(omitted.filter((name) => !known.has(name))).toEqual([]);
});
