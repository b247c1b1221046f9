import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { offer } from '../support/dedup-groups.ts';
import { forgetDuplicates } from '../support/dedup-setup.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let admin: TestUser;
let seller: TestUser;
beforeAll(async () => {
  app = await startApp({ profile: 'nautical' });
  workers = await startWorkers(app);
  admin = await app.createUser({ role: 'admin' });
  seller = await app.createUser();
});
afterAll(async () => {
  await workers.close();
  await app.close();
});
beforeEach(() => forgetDuplicates(app));

/** Runs work in another transaction while `held` keeps what a statement of it needs, and `meanwhile` when it waits for that. */
async function whileHeld<T>(held: string, work: () => Promise<T>, meanwhile: () => Promise<unknown>): Promise<T> {
  const client = await app.database.pool.connect();
  try {
    await client.query('begin');
    await client.query(held);
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const running = work();
    await expect
      .poll(
        async () =>
          (
            await app.database.pool.query(
              'select count(*)::int as n from pg_stat_activity where $1::int = any(pg_blocking_pids(pid))',
              [rows[0].pid],
            )
          ).rows[0].n,
      )
      .toBeGreaterThan(0);
    await meanwhile();
    await client.query('commit');
    return await running;
  } finally {
    client.release();
  }
}

const named = (name: string) => ({
  title: `Dinghy called ${name}`,
  description: `A small dinghy called ${name}, with oars and a cover.`,
});
/** What a batch writes between reading the listings and writing their prints. */
const countsWords = `lock table dedup_words in share mode`;

test('a listing that its seller deletes for good while a search reads it does not fail the search', async () => {
  const gone = await offer(app, seller, named('Kestrel'));
  const left = await offer(app, seller, named('Petrel'));
  expect((await app.as(admin).post('/api/admin/dedup/job/start')).status).toBe(202);
  const worked = await whileHeld(
    countsWords,
    () => workers.work('dedup-scan'),
    async () => expect((await app.as(seller).delete(`/api/listings/${gone.id}`)).status).toBe(200),
  );
  expect(worked).toMatchObject([{ status: 'completed', output: { listings_scanned: 1 } }]);
  const { body } = await app.as(admin).get('/api/admin/dedup/job/status');
  expect(body).toMatchObject({ state: 'completed', last_error: null });
  const { rows } = await app.database.pool.query(
    'select listing_id from dedup_prints union select listing_id from dedup_keys',
  );
  expect(rows).toEqual([{ listing_id: left.id }]);
});

test('nor does it fail the check of a listing that was just published', async () => {
  await workers.readJournal();
  await workers.take('dedup-listing');
  const gone = await offer(app, seller, named('Fulmar'));
  await workers.readJournal();
  const worked = await whileHeld(
    countsWords,
    () => workers.work('dedup-listing'),
    async () => expect((await app.as(seller).delete(`/api/listings/${gone.id}`)).status).toBe(200),
  );
  expect(worked.map(({ status }) => status)).toEqual(['completed']);
  const { rows } = await app.database.pool.query('select from dedup_prints union all select from dedup_keys');
  expect(rows).toEqual([]);
});
