import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dedupScan } from '../../../workers/dedup-scan.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { forgetDuplicates, readGroups } from '../../support/dedup-setup.ts';
import { boat, storeTwins } from '../../support/twin-boats.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { storeListings } from '../listings/search-fixture.ts';

let app: TestApp;
let workers: TestWorkers;
let admin: TestUser;
let sellers: readonly [TestUser, TestUser];
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  admin = await app.createUser({ role: 'admin' });
  sellers = [await app.createUser(), await app.createUser()];
});
afterAll(async () => {
  await workers.close();
  await app.close();
});
beforeEach(() => forgetDuplicates(app));

const job = (path: string, body?: unknown) => app.as(admin).post(`/api/admin/dedup/job/${path}`, body);
const status = async () => (await app.as(admin).get('/api/admin/dedup/job/status')).body;
const work = () => workers.work('dedup-scan');
const plain = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ title: `Thing ${index}x${index * 7}` }));
const makeDue = () => app.database.pool.query(`update pgboss.job set start_after = now() where name = 'dedup-scan'`);
/** Works the job that is due, and kills it after so many batches. */
async function workBatches(batches: number): Promise<void> {
  await makeDue();
  await workers.work('dedup-scan', (services, payload, context) => {
    const killed = new AbortController();
    let begun = 0;
    const signal = Object.assign(killed.signal, {
      throwIfAborted() {
        begun += 1;
        if (begun > batches) killed.abort(new Error('killed'));
        if (killed.signal.aborted) throw killed.signal.reason;
      },
    });
    return dedupScan(services, payload, { ...context, signal });
  });
}
const groups = async () => (await readGroups(app)).map(({ status, members }) => ({ status, members }));
const idsOf = (pairs: readonly (readonly { id: string }[])[]) =>
  pairs.map((pair) => pair.map(({ id }) => id).toSorted()).toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1));
const detected = (pairs: Parameters<typeof idsOf>[0]) =>
  idsOf(pairs).map((members) => ({ status: 'detected', members }));
const isEvent = async (type: string) =>
  (await app.database.pool.query(`select from events where type = $1 and data->>'kind' = 'dedup'`, [type])).rowCount;

describe('the background job', () => {
  test('there is none at first', async () => {
    expect(await status()).toEqual({
      running: false,
      job_id: null,
      state: 'idle',
      started_at: null,
      progress_percent: 0,
      listings_scanned: 0,
      total: 0,
      groups_detected: 0,
      last_error: null,
    });
    expect((await job('stop')).status).toBe(409);
  });

  test('finds the groups among all listings, is one at a time, and ends with one event', async () => {
    const pairs = await storeTwins(app, sellers, 3);
    await storeListings(app, sellers[0], [boat(4), boat(5, { status: 'sold' })]);
    const before = await isEvent('run.completed');
    const started = await job('start');
    expect([started.status, started.body.status]).toEqual([202, 'queued']);
    expect((await job('start')).status).toBe(409);
    expect(await status()).toMatchObject({ running: true, state: 'queued', job_id: started.body.job_id });
    const [result] = await work();
    expect(result).toMatchObject({ status: 'completed', output: { listings_scanned: 7, groups_detected: 3 } });
    expect(await status()).toMatchObject({
      running: false,
      state: 'completed',
      progress_percent: 100,
      listings_scanned: 7,
      total: 7,
      groups_detected: 3,
      last_error: null,
    });
    expect(await groups()).toEqual(detected(pairs));
    expect(await isEvent('run.completed')).toBe(before! + 1);
    const finished = (await app.as(admin).get(`/api/admin/jobs/${started.body.job_id}`)).body;
    expect(finished).toMatchObject({ state: 'completed', progress: 100, result: { groups_detected: 3 } });
  });

  test('tells how far it is', async () => {
    await storeListings(app, sellers[0], plain(150));
    const { job_id } = (await job('start')).body;
    await workBatches(1);
    expect(await status()).toMatchObject({ state: 'running', listings_scanned: 0, total: 150, progress_percent: 33.3 });
    await workBatches(3);
    const { started_at, ...compared } = await status();
    expect(compared).toMatchObject({ running: true, job_id, listings_scanned: 150, progress_percent: 66.7 });
    expect(Date.parse(started_at)).toBeGreaterThan(0);
    await workBatches(Infinity);
    expect(await status()).toMatchObject({ state: 'completed', started_at, progress_percent: 100 });
  });

  test('one that is worked stops after the batch at hand, with what it has', async () => {
    await storeListings(app, sellers[0], plain(300));
    await job('start');
    await workBatches(3);
    await makeDue();
    const cancelled = await isEvent('run.cancelled');
    await workers.work('dedup-scan', async (services, payload, context) => {
      expect((await job('stop')).body.status).toBe('stopping');
      expect(await status()).toMatchObject({ running: true, state: 'stopping' });
      return dedupScan(services, payload, context);
    });
    expect(await status()).toMatchObject({ running: false, state: 'stopped', listings_scanned: 250, total: 300 });
    expect(await isEvent('run.cancelled')).toBe(cancelled! + 1);
    expect((await job('stop')).status).toBe(409);
    expect((await job('start')).status).toBe(202);
  });

  test('one that nobody works yet stops at once', async () => {
    await job('start');
    expect((await job('stop')).body.status).toBe('stopped');
    expect(await status()).toMatchObject({ running: false, state: 'stopped' });
    expect(await work()).toMatchObject([{ status: 'completed', output: { outcome: 'stopped' } }]);
  });

  test('a cancelled job is a stopped one, whether it was begun or not', async () => {
    await storeTwins(app, sellers, 1);
    for (const begin of [false, true]) {
      const { job_id } = (await job('start')).body;
      const cancel = () => app.as(admin).post(`/api/admin/jobs/${job_id}/cancel`);
      if (begin)
        await workers.work('dedup-scan', async (services, payload, context) => {
          await cancel();
          return dedupScan(services, payload, context);
        });
      else await cancel();
      expect(await status()).toMatchObject({ running: false, state: 'stopped', job_id, groups_detected: 0 });
    }
  });

  test('killed between two batches it goes on where it was, and counts nothing twice', async () => {
    const pairs = await storeTwins(app, sellers, 3);
    await job('start');
    for (let tries = 0; (await status()).running; tries += 1) {
      expect(tries).toBeLessThan(20);
      await workBatches(1);
    }
    expect(await status()).toMatchObject({ state: 'completed', listings_scanned: 6, total: 6, groups_detected: 3 });
    expect(await groups()).toEqual(detected(pairs));
  });

  test('a batch that never comes through fails the job with the reason', async () => {
    await storeTwins(app, sellers, 1);
    await job('start');
    const { pool } = app.database;
    await pool.query('alter table dedup_pairs add constraint in_the_way check (score < 0) not valid');
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await status()).toMatchObject({ running: true });
      await work();
      await makeDue();
    }
    await pool.query('alter table dedup_pairs drop constraint in_the_way');
    const failed = await status();
    expect(failed).toMatchObject({ running: false, state: 'failed', listings_scanned: 0 });
    expect(failed.last_error).toContain('in_the_way');
  });

  test('one whose process dies over the same batch again and again fails, too', async () => {
    await storeTwins(app, sellers, 1);
    const { job_id } = (await job('start')).body;
    const { pool } = app.database;
    await pool.query(`update runs set tries = 5 where kind = 'dedup'`);
    expect(await work()).toMatchObject([{ id: job_id, status: 'deadletter' }]);
    expect(await status()).toMatchObject({ running: false, state: 'failed' });
    expect((await status()).last_error).toContain('again and again');
  });

  test('one whose job is lost for an hour has failed, and does not stand in the way of the next', async () => {
    const { body: lost } = await job('start');
    await app.database.pool.query(`delete from pgboss.job where name = 'dedup-scan'`);
    expect((await job('start')).status).toBe(409);
    await app.database.pool.query(`update runs set updated_at = updated_at - interval '61 minutes' where job_id = $1`, [
      lost.job_id,
    ]);
    expect((await job('start')).status).toBe(202);
    const { rows } = await app.database.pool.query('select status from runs where job_id = $1', [lost.job_id]);
    expect(rows).toEqual([{ status: 'failed' }]);
  });

  test('its history tells every job, the last one first', async () => {
    await storeTwins(app, sellers, 1);
    await job('start', { threshold: 0.7 });
    await work();
    await job('start', { auto_merge: true });
    await job('stop');
    const { body } = await app.as(admin).get('/api/admin/dedup/job/history?limit=1');
    expect(body.pagination).toEqual({ page: 1, limit: 1, total: 2, pages: 2 });
    expect(body.results).toMatchObject([{ state: 'stopped', threshold: 0.95, auto_merge: true, started_by: admin.id }]);
    const { body: next } = await app.as(admin).get('/api/admin/dedup/job/history?limit=1&page=2');
    expect(next.results).toMatchObject([
      { state: 'completed', threshold: 0.7, auto_merge: false, listings_scanned: 2, groups_detected: 1, total: 2 },
    ]);
  });
});
