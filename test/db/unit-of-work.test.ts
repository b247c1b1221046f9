import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { startUnitOfWork } from '../../db/unit-of-work.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase({ max: 2 });
  await database.pool.query('create table notes (text text)');
});
beforeEach(() => database.pool.query('truncate notes'));
afterAll(() => database.drop());

const start = (onBegin = async () => {}) => startUnitOfWork(database.pool, { onBegin });
const note = (text: string) => sql`insert into notes values (${text})`;
const notes = async () =>
  (await database.pool.query<{ text: string }>('select text from notes')).rows.map(({ text }) => text);
const inUse = () => database.pool.totalCount - database.pool.idleCount;

test('its transactions are one: what they wrote is seen within, by others after the commit, and by nobody after a rollback', async () => {
  for (const end of ['commit', 'rollback'] as const) {
    const unit = start();
    await inTransaction(unit.db, (tx) => note('first').execute(tx));
    await inTransaction(unit.db, (tx) => note('second').execute(tx));
    const { rows } = await sql`select from notes`.execute(unit.db);
    expect([rows.length, await notes(), inUse()]).toEqual([2, [], 1]);
    await unit[end]();
    expect([await notes(), inUse()]).toEqual([end === 'commit' ? ['first', 'second'] : [], 0]);
    await database.pool.query('truncate notes');
  }
});

test('a later transaction that fails leaves nothing of its own, and all of the others', async () => {
  const unit = start();
  await inTransaction(unit.db, (tx) => note('first').execute(tx));
  const failing = inTransaction(unit.db, async (tx) => {
    await note('second').execute(tx);
    await inTransaction(unit.db, (inner) => note('within').execute(inner));
    await sql`select 1 / 0`.execute(tx);
  });
  await expect(failing).rejects.toThrow('division by zero');
  await inTransaction(unit.db, (tx) => note('third').execute(tx));
  await unit.commit();
  expect(await notes()).toEqual(['first', 'third']);
});

test('when the first transaction fails none has begun, and the next begins', async () => {
  let begun = 0;
  const unit = start(async () => void (begun += 1));
  const failing = inTransaction(unit.db, async (tx) => {
    await note('first').execute(tx);
    throw new Error('of the handler');
  });
  await expect(failing).rejects.toThrow('of the handler');
  expect(inUse()).toBe(0);
  await inTransaction(unit.db, (tx) => note('second').execute(tx));
  await unit.commit();
  expect([await notes(), begun]).toEqual([['second'], 2]);
});

test('what throws at its begin is thrown to whoever began it, and leaves no transaction open', async () => {
  const unit = start(async () => {
    throw new Error('taken');
  });
  await expect(inTransaction(unit.db, (tx) => note('first').execute(tx))).rejects.toThrow('taken');
  await unit.commit();
  expect(inUse()).toBe(0);
  const { rows } = await database.pool.query(`select pg_current_xact_id_if_assigned() as xid`);
  expect(rows).toEqual([{ xid: null }]);
});

test('an autonomous transaction is committed by itself before the unit begins, and refused once it has', async () => {
  const unit = start();
  await inTransaction(unit.db, (tx) => note('autonomous').execute(tx), { autonomous: true });
  expect([await notes(), inUse()]).toEqual([['autonomous'], 0]);
  await inTransaction(unit.db, (tx) => note('joined').execute(tx));
  await expect(inTransaction(unit.db, (tx) => note('late').execute(tx), { autonomous: true })).rejects.toThrow(
    'second connection',
  );
  await unit.rollback();
  expect(await notes()).toEqual(['autonomous']);
});

test('a commit that the database refuses is thrown, and gives the connection back', async () => {
  const unit = start();
  await inTransaction(unit.db, (tx) => note('first').execute(tx));
  await expect(sql`select 1 / 0`.execute(unit.db)).rejects.toThrow('division by zero');
  await expect(unit.commit()).rejects.toThrow('rolled back');
  expect([await notes(), inUse()]).toEqual([[], 0]);
});
