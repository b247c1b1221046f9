import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startProcess } from '../support/processes.ts';
import { storeTwins } from '../support/twin-boats.ts';
import { storeListings } from '../api/listings/search-fixture.ts';
import { eventually } from '../support/waiting.ts';

const LISTINGS = 600;

test('a worker killed in the middle of a search for duplicates is taken over, and nothing counts twice', async () => {
  const app = await startApp();
  const sellers = [await app.createUser(), await app.createUser()] as const;
  const pairs = await storeTwins(app, sellers, 5);
  const plain = Array.from({ length: LISTINGS }, (_, index) => ({ title: `Thing ${index}x${index * 7}` }));
  await storeListings(app, sellers[0], plain);
  const admin = app.as(await app.createUser({ role: 'admin' }));
  const status = async () => (await admin.get('/api/admin/dedup/job/status')).body;
  const env = {
    DATABASE_URL: app.database.url,
    DATA_DIR: app.dataDir,
    JWT_SECRET: 'a secret of the tests alone',
    QUEUES: 'dedup-scan',
  };
  // As the queue has it, but noticed sooner.
  await app.database.pool.query(`update pgboss.queue set heartbeat_seconds = 4 where name = 'dedup-scan'`);
  expect((await admin.post('/api/admin/dedup/job/start')).status).toBe(202);
  const first = startProcess('workers/main.ts', env);
  await eventually(async () => (await status()).progress_percent > 20, { describe: first.output });
  await first.kill('SIGKILL');
  const left = await status();
  expect(left).toMatchObject({ running: true, state: 'running' });
  expect(left.progress_percent).toBeLessThan(100);

  const second = startProcess('workers/main.ts', env);
  await eventually(async () => !(await status()).running, { describe: second.output });
  const total = LISTINGS + 2 * pairs.length;
  expect(await status()).toMatchObject({ state: 'completed', listings_scanned: total, total, groups_detected: 5 });
  const { rows } = await app.database.pool.query(
    `select count(*)::int as events from events where data->>'kind' = 'dedup'`,
  );
  expect(rows).toEqual([{ events: 1 }]);
  expect(await second.kill('SIGTERM')).toBe(0);
  await app.close();
});
