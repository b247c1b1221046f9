import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createPool, isConnectionError } from '../../db/client.ts';
import { watchServer } from '../../db/server-watch.ts';
import { cloneDatabase } from '../support/database.ts';
import { scaled } from '../support/machine.ts';
import { startNetwork } from '../support/silent-network.ts';

const database = await cloneDatabase();

const timed = async (work: Promise<unknown>) => {
  const startedAt = performance.now();
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, ms: performance.now() - startedAt };
};

test('a server that goes silent fails what waits for it within 3 s and what comes later at once, until it answers again', async () => {
  const network = await startNetwork(database.url);
  const pool = createPool({ databaseUrl: network.url, max: 3, applicationName: 'test watch' });
  const changes: boolean[] = [];
  const watch = watchServer(pool, {
    databaseUrl: network.url,
    applicationName: 'test watch',
    onChange: (silent) => changes.push(silent),
  });
  const holder = await pool.connect();
  await holder.query('begin');
  // Slower than the watch is patient, but alive.
  expect((await timed(pool.query('select pg_sleep(3)'))).error).toBeUndefined();
  expect(changes).toEqual([]);

  network.setSilent(true);
  // One finds an idle connection, one has to open another, and one waits for its turn.
  const [idle, opening, waiting, inTransaction] = await Promise.all([
    timed(pool.query('select 1')),
    timed(pool.query('select 1')),
    timed(pool.query('select 1')),
    timed(holder.query('select 1').finally(() => holder.release(true))),
  ]);
  for (const { error, ms } of [idle, opening, waiting, inTransaction]) {
    expect(isConnectionError(error)).toBe(true);
    // 3 s, and what a busy machine adds.
    expect(ms).toBeLessThan(3_000 + scaled(1_500));
  }
  const later = await Promise.all([timed(pool.query('select 1')), timed(pool.connect())]);
  for (const { error, ms } of later) {
    expect(isConnectionError(error)).toBe(true);
    expect(ms).toBeLessThan(scaled(1_000));
  }

  network.setSilent(false);
  await expect.poll(async () => (await timed(pool.query('select 1'))).error).toBeUndefined();
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
  expect((await timed(pool.query('select 1'))).error).toMatchObject({ code: 'ECONNREFUSED' });
  expect(changes).toEqual([]);
  await watch.stop();
  await pool.end();
});
