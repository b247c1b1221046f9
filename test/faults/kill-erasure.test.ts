import { expect, test } from 'vitest';
import { storeListings } from '../api/listings/search-fixture.ts';
import { startApp } from '../support/app.ts';
import { findMarks, marked } from '../support/leaving.ts';
import { startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const LISTINGS = 1_200;

test('a worker killed in the middle of an erasure is taken over, and nothing of the person is left', async () => {
  const app = await startApp();
  const twin = await app.twin();
  const { body: session } = await app.as().post('/api/auth/register', {
    email: `${marked('mail')}@example.com`,
    password: 'correct horse battery',
    name: marked('name'),
  });
  const { token } = session;
  const person = { ...session.user, token, role: 'user' };
  await storeListings(
    app,
    person,
    Array.from({ length: LISTINGS }, (_, index) => ({ title: `Boat ${marked('title')} ${index}x${index * 7}` })),
  );
  const env = {
    DATABASE_URL: app.database.url,
    DATA_DIR: app.dataDir,
    JWT_SECRET: 'a secret of the tests alone',
    QUEUES: 'erase-account,send-email',
  };
  // As the queue has it, but noticed sooner.
  await app.database.pool.query(`update pgboss.queue set heartbeat_seconds = 4 where name = 'erase-account'`);
  const left = async () => {
    const { rows } = await app.database.pool.query<{ n: number }>(
      'select count(*)::int as n from listings where seller_id = $1',
      [person.id],
    );
    return rows[0]!.n;
  };
  expect(await left()).toBe(LISTINGS);
  const { status, text } = await app.as(token).delete('/api/me', { body: { password: 'correct horse battery' } });
  expect(status, text).toBe(200);
  // Every process knows it at once.
  expect((await twin.as(token).get('/api/me')).status).toBe(401);
  expect(
    (
      await twin
        .as()
        .post('/api/auth/login', { email: `${marked('mail')}@example.com`, password: 'correct horse battery' })
    ).status,
  ).toBe(401);

  const first = startProcess('workers/main.ts', env);
  await eventually(async () => (await left()) < LISTINGS - 100, { describe: first.output });
  await first.kill('SIGKILL');
  expect(await left()).toBeGreaterThan(0);

  const second = startProcess('workers/main.ts', env);
  const runs = async () => (await app.database.pool.query(`select status from runs where kind = 'erase'`)).rows;
  await eventually(async () => (await runs())[0]?.status === 'succeeded', { describe: second.output });
  expect(await left()).toBe(0);
  const { rows: events } = await app.database.pool.query(
    `select count(*)::int as all, count(distinct subject)::int as listings from events where type = 'listing.deleted'`,
  );
  expect(events).toEqual([{ all: LISTINGS, listings: LISTINGS }]);
  await eventually(
    async () => (await app.database.pool.query('select from account_leavings where email is null')).rowCount === 1,
    {
      describe: second.output,
    },
  );
  expect(await findMarks(app.database.pool)).toEqual([]);
  expect(await second.kill('SIGTERM')).toBe(0);
  await twin.close();
  await app.close();
}, 180_000);
