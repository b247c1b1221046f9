import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { createWorld, readyRequest, type World } from '../support/openapi-cases-world.ts';
import { createSender, readCases, toWire, type Case, type Send } from '../support/openapi-cases.ts';
import { createResponseChecker } from '../support/response-check.ts';
import { readTables, tablesChanged } from '../support/table-state.ts';

/** What is committed before the key, in operations that ask others in between or go through any number of rows, and why it may be. */
const autonomous: Record<string, string[]> = {
  createPremiumCheckout: ['public.payments'], // the order, which the next try goes on with under the same provider's key
  uploadImage: ['public.picture_leftovers'], // the lease of the files, which are named by their content and collected when it is old
  addListingImages: ['public.picture_leftovers'],
};

const cases = readCases(readContract()).filter(({ operation }) => operation.idempotent);

let app: TestApp;
let world: World;
/** A process with a single connection for all its requests: the other of its two is held by nobody's request. */
let narrow: TestApp;
let held: PoolClient;
let send: Send;
const warnings: string[] = [];
const noteWarning = ({ message }: Error) => void warnings.push(message);
beforeAll(async () => {
  process.on('warning', noteWarning);
  app = await startApp();
  world = await createWorld(app.services);
  narrow = await startApp({ database: app.database, env: { DATABASE_POOL_SIZE: '2' } });
  held = await narrow.services.pool.connect();
  send = createSender(narrow.url, createResponseChecker(app.services.contract));
  await app.database.pool.query(`
    create function refuse_commit() returns trigger language plpgsql as $$
      begin raise exception 'the disk is full' using errcode = 'disk_full'; end $$`);
});
afterAll(async () => {
  process.off('warning', noteWarning);
  held.release();
  await narrow.close();
  await app.close();
});

const refuseCommits = () =>
  app.database.pool.query(`
    create constraint trigger refuse after insert or update on idempotency_keys
    deferrable initially deferred for each row when (new.status is not null) execute function refuse_commit()`);
const allowCommits = () => app.database.pool.query('drop trigger if exists refuse on idempotency_keys');
afterEach(allowCommits);

const tables = () => readTables(app.database.pool);
const keyed = async (each: Case) =>
  toWire(each, { ...(await readyRequest(world, each)), headers: { 'Idempotency-Key': randomUUID() } });

describe('every operation with an Idempotency-Key, in a process that has one connection', () => {
  test.each(cases.map((each) => [each.id, each] as const))(
    '%s: what cannot commit with its key leaves neither, and what is repeated gives the same bytes and one effect',
    async (id, each) => {
      const wire = await keyed(each);
      const before = await tables();
      await refuseCommits();
      const refused = await send(wire);
      await allowCommits();
      expect(refused.status, refused.text).toBe(503);
      const left = tablesChanged(before, await tables());
      expect(left.filter((table) => !autonomous[id]?.includes(table))).toEqual([]);

      const first = await send(wire);
      expect(first.status, first.text).toBeLessThan(300);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      const after = await tables();
      expect(tablesChanged(before, after)).toContain('public.idempotency_keys');
      const again = await send(wire);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      for (const name of ['location', 'content-type', 'x-ai-mode'])
        expect(again.headers.get(name)).toBe(first.headers.get(name));
      expect(tablesChanged(after, await tables())).toEqual([]);
    },
  );

  test('none sends a statement while another of its transaction runs', () => {
    expect(warnings.filter((message) => message.includes('client.query()'))).toEqual([]);
  });
});

test('parallel requests with keys, as many as a process of two connections is sent, are all answered', async () => {
  const two = await startApp({ database: app.database, env: { DATABASE_POOL_SIZE: '2' } });
  const sendToTwo = createSender(two.url);
  const wanted = cases.filter(({ id }) =>
    ['createListing', 'sendMessage', 'markListingSold', 'createRental'].includes(id),
  );
  const wires = await Promise.all([...wanted, ...wanted, ...wanted].map(keyed));
  const replies = await Promise.all(wires.map((wire) => sendToTwo(wire)));
  expect(replies.map(({ status }) => status < 300)).toEqual(wires.map(() => true));
  await two.close();
});
