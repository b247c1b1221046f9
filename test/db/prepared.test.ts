import { CompiledQuery, sql } from 'kysely';
import { expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { prepared } from '../../db/prepared.ts';
import { cloneDatabase } from '../support/database.ts';

const { db } = await cloneDatabase({ max: 1 });
const namesOf = async (text: string) => {
  const { rows } = await sql<{
    name: string;
  }>`select name from pg_prepared_statements where statement = ${text}`.execute(db);
  return rows.map(({ name }) => name);
};

test('a query runs as a prepared statement, parsed once per connection, in and outside of transactions', async () => {
  const text = 'select $1::int + 1 as next';
  const ask = (n: number) => prepared(CompiledQuery.raw(text, [n]) as CompiledQuery<{ next: number }>);
  expect((await db.executeQuery(ask(1))).rows).toEqual([{ next: 2 }]);
  expect(await inTransaction(db, async (tx) => (await tx.executeQuery(ask(2))).rows)).toEqual([{ next: 3 }]);
  expect(await namesOf(text)).toHaveLength(1);
});

test('texts without end are run, but not kept', async () => {
  for (let n = 0; n < 150; n += 1) {
    const { rows } = await db.executeQuery(prepared(CompiledQuery.raw(`select $1::text as t${n}`, ['x'])));
    expect(rows).toEqual([{ [`t${n}`]: 'x' }]);
  }
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_prepared_statements`.execute(db);
  expect(rows[0]?.n).toBeLessThanOrEqual(100);
});
