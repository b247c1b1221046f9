import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type Json, type Reply, type TestApp, type TestUser } from '../../support/app.ts';
import { forgetDuplicates, readGroups } from '../../support/dedup-setup.ts';
import { boat, hullOf, storeTwins } from '../../support/twin-boats.ts';
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

const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  app.as(admin).post(`/api/admin/nautical/dedup/${path}`, body, { headers });
/** Has the jobs worked that a request waits for. */
async function attended(request: Promise<Reply<Json>>): Promise<Reply<Json>> {
  let isAnswered = false;
  const reply = request.finally(() => (isAnswered = true));
  while (!isAnswered) {
    await workers.work('dedup-scan');
    await sleep(5);
  }
  return reply;
}
const scan = (body?: unknown) => attended(post('scan', body));
const groups = () => readGroups(app);
const unlike = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    title: `Tender ${index}q${index * 7}`,
    description: `Dinghy w${index}, oars x${index * 3} and a pump y${index * 11}.`,
    condition: 'fair',
  }));
const sorted = (pairs: readonly (readonly { id: string }[])[]) =>
  pairs.map((pair) => pair.map(({ id }) => id).toSorted()).toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1));
const members = async () => (await groups()).map((group) => group.members);
const statusOf = async (id: string) =>
  (await app.database.pool.query(`select status from listings where id = $1`, [id])).rows[0].status;

describe('a scan', () => {
  test('answers what it found among everything, and the same when it is repeated', async () => {
    const pairs = await storeTwins(app, sellers, 3);
    const { status, body } = await scan();
    expect(status).toBe(200);
    expect(body).toMatchObject({ listings_scanned: 6, groups_detected: 3 });
    expect(body.pairs_compared).toBeGreaterThanOrEqual(3);
    expect(body.duration_ms).toBeGreaterThanOrEqual(0);
    expect(await members()).toEqual(sorted(pairs));
    const before = await groups();
    expect((await scan({})).body).toMatchObject({ listings_scanned: 6, groups_detected: 3 });
    expect(await groups()).toEqual(before);
    const stats = (await app.as(admin).get('/api/admin/stats')).body.dedup;
    expect(stats).toMatchObject({ groups_detected: 3, groups_pending: 3 });
    expect(Date.now() - Date.parse(stats.last_scan_at)).toBeLessThan(60_000);
  });

  test('of a category scans what is below it too, against everything there is', async () => {
    const [own] = await storeListings(app, sellers[0], [boat(0, { category_id: 'cruising' })]);
    const [other] = await storeListings(app, sellers[1], [boat(0, { category_id: 'daysailers' })]);
    await storeListings(app, sellers[0], [boat(1, { category_id: 'outboards' })]);
    await storeListings(app, sellers[1], [boat(1, { category_id: 'outboards' })]);
    expect((await scan({ category: 'cruising' })).body).toMatchObject({ listings_scanned: 1, groups_detected: 1 });
    expect(await members()).toEqual(sorted([[own!, other!]]));
    expect((await scan({ category: 'sailboats' })).body).toMatchObject({ listings_scanned: 2, groups_detected: 1 });
  });

  test('since a moment scans what is new or changed since, against everything there is', async () => {
    const at = (updated_at: string) => ({ updated_at });
    const [old] = await storeListings(app, sellers[0], [boat(0, at('2025-03-01T10:00:00Z')), boat(1)]);
    const [recent] = await storeListings(app, sellers[1], [boat(0, at('2025-09-01T10:00:00Z'))]);
    await storeListings(app, sellers[1], [boat(1, at('2025-03-02T10:00:00Z'))]);
    const { body } = await scan({ since: '2025-09-01T12:00:00+02:00' });
    expect(body).toMatchObject({ listings_scanned: 1, groups_detected: 1 });
    expect(await members()).toEqual(sorted([[old!, recent!]]));
  });

  test('400 for an unknown category, a date that is none and a threshold out of range', async () => {
    const unknown = await post('scan', { category: 'submarines' });
    expect([unknown.status, unknown.body.error.code]).toEqual([400, 'validation_error']);
    expect(unknown.body.error.details.valid_categories).toContain('sailboats');
    for (const body of [
      { since: 'yesterday' },
      { threshold: 1.1 },
      { threshold: -0.1 },
      { threshold: 0.49 },
      { thresh: 1 },
    ])
      expect((await post('scan', body)).status).toBe(400);
  });

  test('202 with a job to follow for who prefers not to wait, and for who has waited long enough', async () => {
    await storeTwins(app, sellers, 1);
    const accepted = await post('scan', undefined, { Prefer: 'respond-async' });
    expect(accepted.headers.get('preference-applied')).toBe('respond-async');
    expect([accepted.status, accepted.body.status]).toEqual([202, 'queued']);
    const again = await post('scan', undefined, { Prefer: 'wait=0' });
    expect([again.status, again.body.job_id]).toEqual([202, accepted.body.job_id]);
    const other = await post('scan', { threshold: 0.9 }, { Prefer: 'wait=0' });
    expect(other.body.job_id).not.toBe(accepted.body.job_id);
    await workers.work('dedup-scan');
    const job = (await app.as(admin).get(`/api/admin/jobs/${accepted.body.job_id}`)).body;
    expect(job).toMatchObject({ state: 'completed', result: { listings_scanned: 2, groups_detected: 1 } });
    const merging = await post('scan-and-merge', {}, { Prefer: 'respond-async' });
    expect(merging.status).toBe(202);
    expect((await app.as(admin).get('/api/admin/dedup/job/history')).body.results).toEqual([]);
  });

  test('asked for twice at one moment is one scan with one answer', async () => {
    await storeTwins(app, sellers, 1);
    const replies = await Promise.all(Array.from({ length: 4 }, () => post('scan', {}, { Prefer: 'respond-async' })));
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(replies.map(({ body }) => body.job_id)).size).toBe(1);
  });

  test('503 when it is cancelled while it is waited for', async () => {
    const waiting = post('scan');
    for (let jobs: Json[] = []; jobs.length === 0;) {
      jobs = (await app.as(admin).get('/api/admin/jobs?queue=dedup-scan&state=queued')).body.results;
      for (const { id } of jobs) await app.as(admin).post(`/api/admin/jobs/${id}/cancel`);
    }
    expect((await waiting).status).toBe(503);
  });

  test('finds nothing among alike things of one seller, whatever the threshold', async () => {
    await storeListings(app, sellers[0], [boat(1), boat(1)]);
    expect((await scan({ threshold: 0.5 })).body).toMatchObject({ listings_scanned: 2, groups_detected: 0 });
    expect((await attended(post('scan-and-merge', { threshold: 0.5 }))).body).toMatchObject({ groups_merged: 0 });
  });

  test('a pair that was rejected never comes back, not even when a text changes', async () => {
    const [[one, other] = []] = await storeTwins(app, sellers, 1);
    await scan();
    const [group] = await groups();
    expect((await post(`${group!.id}/reject`)).status).toBe(200);
    expect((await scan()).body.groups_detected).toBe(0);
    await app.database.pool.query(
      `update listings set title = title || ' again', version = version + 1 where id = any($1)`,
      [[one!.id, other!.id]],
    );
    expect((await scan({ threshold: 0.6 })).body).toMatchObject({ listings_scanned: 2, groups_detected: 0 });
    expect((await groups()).map(({ status }) => status)).toEqual(['rejected']);
  });
});

test.each(['scan', 'scan-and-merge'])('400 for a %s with a threshold that is next to nothing', async (path) => {
  await storeTwins(app, sellers, 1);
  const { status, body } = await post(path, { threshold: 1e-320 });
  expect([status, body.error.details.errors]).toEqual([
    400,
    [{ path: '/body/threshold', message: 'must be >= 0.5', reason: 'too_small', limit: 0.5 }],
  ]);
  expect((await app.as(admin).post('/api/admin/dedup/job/start', { threshold: 1e-320 })).status).toBe(400);
  expect((await app.as(admin).get('/api/admin/nautical/dedup?min_confidence=1e-320')).status).toBe(200);
});

test('a scan that was queued with a threshold next to nothing ends like any other', async () => {
  await storeTwins(app, sellers, 1, hullOf);
  const { body } = await post('scan-and-merge', undefined, { Prefer: 'respond-async' });
  await app.database.pool.query(
    `update runs set params = params || '{"threshold": 1e-320, "mergeFrom": 1e-320}' where kind = 'dedup'`,
  );
  await workers.work('dedup-scan');
  const job = (await app.as(admin).get(`/api/admin/jobs/${body.job_id}`)).body;
  expect(job).toMatchObject({ state: 'completed', result: { groups_detected: 1, groups_merged: 1 } });
});

describe('a scan that merges', () => {
  // Words tell listings apart as far as others do not use them.
  beforeEach(async () => {
    await storeListings(app, sellers[0], unlike(60));
  });

  test('merges what is sure, and leaves the rest to people', async () => {
    const [[sure, twin] = []] = await storeTwins(app, sellers, 1, hullOf);
    const told = {
      description: 'Comfortable ketch. Rigging, tanks and heating are new.',
      title: 'Contest 38 S 1987 Zeevogel ketch',
    };
    const [unsure] = await storeListings(app, sellers[0], [boat(1)]);
    await storeListings(app, sellers[1], [boat(1, told)]);
    const { status, body } = await attended(post('scan-and-merge'));
    expect([status, body.groups_detected, body.groups_merged]).toEqual([200, 2, 1]);
    expect((await groups()).map((group) => group.status).toSorted()).toEqual(['detected', 'merged']);
    expect(new Set([await statusOf(sure!.id), await statusOf(twin!.id)])).toEqual(new Set(['active', 'deleted']));
    expect(await statusOf(unsure!.id)).toBe('active');
    expect((await attended(post('scan-and-merge'))).body).toMatchObject({ groups_detected: 1, groups_merged: 0 });
  });

  test('leaves a group to people in which one seller offers the like twice', async () => {
    await storeTwins(app, sellers, 1);
    await storeListings(app, sellers[0], [boat(0)]);
    const { body } = await attended(post('scan-and-merge', { threshold: 0.6 }));
    expect(body).toMatchObject({ groups_detected: 1, groups_merged: 0 });
    expect((await members()).map((listings) => listings.length)).toEqual([3]);
  });

  test('leaves a group alone that was unmerged', async () => {
    await storeTwins(app, sellers, 1, hullOf);
    await attended(post('scan-and-merge'));
    const [group] = await groups();
    expect((await post(`${group!.id}/unmerge`)).status).toBe(200);
    expect((await attended(post('scan-and-merge', { threshold: 0.9 }))).body).toMatchObject({ groups_merged: 0 });
    expect((await groups()).map(({ status }) => status)).toEqual(['detected']);
  });

  test('the background job merges only when it is told to', async () => {
    await storeTwins(app, sellers, 2, hullOf);
    const job = async (body: unknown) => {
      await app.as(admin).post('/api/admin/dedup/job/start', body);
      await workers.work('dedup-scan');
      return (await app.as(admin).get('/api/admin/dedup/job/history')).body.results[0];
    };
    expect(await job({ threshold: 0.95 })).toMatchObject({ groups_detected: 2, groups_merged: 0 });
    expect(await job({ auto_merge: true })).toMatchObject({ groups_detected: 2, groups_merged: 2, threshold: 0.95 });
  });
});

test('in the general profile things of any kind are scanned the same', async () => {
  const general = await startApp({ profile: 'general' });
  const crew = await startWorkers(general);
  const things = [await general.createUser(), await general.createUser()] as const;
  await storeTwins(general, things, 1, () => ({ category_id: 'bicycles' }));
  const { token } = await general.createUser({ role: 'admin' });
  const accepted = await general
    .as(token)
    .post('/api/admin/nautical/dedup/scan', {}, { headers: { Prefer: 'wait=0' } });
  expect(await crew.work('dedup-scan')).toMatchObject([{ output: { listings_scanned: 2, groups_detected: 1 } }]);
  expect(accepted.status).toBe(202);
  await crew.close();
  await general.close();
});
