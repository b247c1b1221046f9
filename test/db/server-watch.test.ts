import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createPool, isConnectionError } from '../../db/client.ts';
import { watchServer } from '../../db/server-watch.ts';
import { cloneDatabase } from '../support/database.ts';
import { startNetwork } from '../support/silent-network.ts';

const database = await cloneDatabase();

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (reason: unknown) => reason,
  );

test('a server that goes silent fails what waits for it before its own deadline, and what comes later at once, until it answers again', async () => {
  const network = await startNetwork(database.url);
  // Only the watch ends what waits.
  const deadlines = { connectionWait: 3_600_000, poolConnection: 3_600_000 };
  const pool = createPool({ databaseUrl: network.url, max: 3, applicationName: 'test watch', deadlines });
  const changes: boolean[] = [];
  const watch = watchServer(pool, {
    databaseUrl: network.url,
    applicationName: 'test watch',
    onChange: (silent) => changes.push(silent),
  });
  const holder = await pool.connect();
  await holder.query('begin');
  // Slower than the watch is patient, but alive.
  expect(await failureOf(pool.query('select pg_sleep(3)'))).toBeUndefined();
  expect(changes).toEqual([]);

  network.setSilent(true);
  // One finds an idle connection, one has to open another, and one waits for its turn.
  const [idle, opening, waiting, inTransaction] = await Promise.all([
    failureOf(pool.query('select 1')),
    failureOf(pool.query('select 1')),
    failureOf(pool.query('select 1')),
    failureOf(holder.query('select 1').finally(() => holder.release(true))),
  ]);
  for (const error of [idle, opening, waiting, inTransaction]) expect(isConnectionError(error)).toBe(true);
  const later = await Promise.all([failureOf(pool.query('select 1')), failureOf(pool.connect())]);
  for (const error of later) expect(error).toMatchObject({ message: 'the database does not answer' });

  network.setSilent(false);
  await expect.poll(async () => await failureOf(pool.query('select 1'))).toBeUndefined();
  expect(changes).toEqual([true, false]);
  await watch.stop();
  await pool.end();
  network.close();
});

test('a server that refuses is not taken for a silent one', async () => {
  const changes: boolean[] = [];
  const refused = createServer().listen(0, '127.0.0.1');
  await once(refused, 'listening');
  const databaseUrl = `postgres://u:p@127.0.0.1:${(refused.address() as AddressInfo).port}/x`;
  refused.close();
  await once(refused, 'close');
  const pool = createPool({ databaseUrl, max: 1, applicationName: 'test watch' });
  const watch = watchServer(pool, {
    databaseUrl,
    applicationName: 'test watch',
    onChange: (silent) => changes.push(silent),
  });
  expect(await failureOf(pool.query('select 1'))).toMatchObject({ code: 'ECONNREFUSED' });
  expect(changes).toEqual([]);
  await watch.stop();
  await pool.end();
});
