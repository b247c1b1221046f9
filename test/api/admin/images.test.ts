import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { requeueImages } from '../../../workers/requeue-images.ts';
import { endLostRuns } from '../../../workers/end-lost-runs.ts';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody } from '../../support/listing-bodies.ts';
import { createListing } from '../../support/openapi-cases-things.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let admin: Client;
let seller: TestUser;
beforeAll(async () => {
  app = await startApp({ profile: 'general' });
  workers = await startWorkers(app);
  admin = app.as(await app.createUser({ role: 'admin' }));
  seller = await app.createUser();
});
afterAll(async () => {
  await workers.close();
  await app.close();
});
beforeEach(async () => {
  await query('delete from listings');
  await query('delete from runs');
  await query(`delete from pgboss.job where name in ('localize-images', 'requeue-images')`);
});

const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows;
const idsOf = ({ results }: { results: { id: string }[] }) => results.map(({ id }) => id);

/** Scraped listings, each with one image elsewhere that is still to come. */
async function scraped(count: number): Promise<string[]> {
  const records = Array.from({ length: count }, (_, n) =>
    ingestBody({
      category_id: 'boats',
      category_hint: undefined,
      images: [`https://boats.example.com/picture-${n}.jpg`],
    }),
  );
  const { body } = await admin.post('/api/ingest', { records });
  return records.map(({ url }) => body.ids[url]);
}

test('zero-image listings are those that show none and wait for none, but for sold and deleted ones', async () => {
  const [draft, active] = [
    await createListing(app.services, seller, 'draft'),
    await createListing(app.services, seller, 'active'),
  ];
  await createListing(app.services, seller, 'sold');
  await createListing(app.services, seller, 'deleted');
  const [waiting = '', failed = ''] = await scraped(2);
  await query(`update listing_images set status = 'failed', error = 'The server answered 404.' where listing_id = $1`, [
    failed,
  ]);
  const { body } = await admin.get('/api/admin/zero-image-listings');
  expect(idsOf(body)).toEqual([failed, active.id, draft.id].toSorted().toReversed());
  expect(body.pagination).toEqual({ page: 1, limit: 20, total: 3, pages: 1 });
  expect(idsOf((await admin.get('/api/admin/zero-image-listings?status=draft&source=scraped')).body)).toEqual([failed]);
  expect(idsOf((await admin.get('/api/admin/zero-image-listings?older_than_days=1')).body)).toEqual([]);
  expect((await admin.get('/api/admin/image-stats')).body).toMatchObject({
    listings: { total: 5, with_images: 0, without_images: 5, waiting: 1 },
    remote: { pending: 1, stored: 0, failed: 1 },
    failures: [{ reason: 'The server answered 404.', count: 1 }],
  });
  expect(waiting).not.toBe('');
});

test('deleting them takes those that the list shows, each with its event, a thousand at most', async () => {
  await query(
    `insert into listings (id, slug, seller_id, category_id, status, condition, title, description, price_amount, price_currency, country, city,
       source, language, created_at, updated_at, expires_at)
     select 'lst_' || lpad(n::text, 26, '0'), 'bare-' || n, $1, 'boats', 'active', 'good', 'Without pictures ' || n, 'Nothing to see here.', 1, 'EUR', 'DE',
       'Kiel', 'api', 'en', now(), now(), now() + interval '30 days' from generate_series(1, 1020) as n`,
    [seller.id],
  );
  const { id: draft } = await createListing(app.services, seller, 'draft');
  const [waiting = ''] = await scraped(1);
  const remove = async () => (await admin.delete('/api/admin/zero-image-listings?status=active')).body;
  expect(await remove()).toMatchObject({ deleted: 1_000, remaining: 20 });
  expect(await remove()).toMatchObject({ deleted: 20, remaining: 0 });
  expect(await query(`select id from listings where status <> 'deleted' order by id`)).toEqual(
    [draft, waiting].toSorted().map((id) => ({ id })),
  );
  expect(await query(`select count(*)::int as n from events where type = 'listing.deleted'`)).toEqual([{ n: 1_020 }]);
});

test('in the nautical profile they are deleted for good, with the pictures that were fetched for them', async () => {
  const nautical = await startApp({ database: app.database });
  const { id } = await createListing(app.services, seller, 'active');
  const sha256 = 'a'.repeat(64);
  await query(
    `insert into images (sha256, storage_key, thumbnail_key, width, height, bytes, dhash, created_at) values ($1, 'a', 'b', 1, 1, 1, 0, now())`,
    [sha256],
  );
  await query(
    `insert into listing_images (listing_id, source_url, position, status, sha256, updated_at) values ($1, 'https://boats.example.com/1.jpg', 0, 'stored', $2, now())`,
    [id, sha256],
  );
  const { token } = await nautical.createUser({ role: 'admin' });
  const { body } = await nautical.as(token).delete('/api/admin/zero-image-listings');
  expect(body).toMatchObject({ deleted: 1, remaining: 0 });
  expect(await query('select id from listings where id = $1', [id])).toEqual([]);
  expect((await workers.take('delete-pictures')).map(({ data }) => data.sha256)).toEqual([[sha256]]);
  await nautical.close();
});

test('localize-images gives every picture that is missing its tries again, tells its progress, and runs once at a time', async () => {
  const [pending = '', failed = ''] = await scraped(2);
  await query(`update listing_images set status = 'failed', attempts = 15, error = 'gone' where listing_id = $1`, [
    failed,
  ]);
  await workers.take('localize-images');
  const { status, body } = await admin.post('/api/admin/localize-images');
  expect([status, body.status]).toEqual([202, 'queued']);
  expect((await admin.post('/api/admin/localize-images')).status).toBe(409);
  expect((await admin.get(`/api/admin/jobs/${body.job_id}`)).body).toMatchObject({
    queue: 'requeue-images',
    state: 'queued',
  });
  expect(await workers.work('requeue-images')).toMatchObject([{ status: 'completed', output: { listings: 2 } }]);
  expect(await query(`select status, attempts from listing_images where listing_id = $1`, [failed])).toEqual([
    { status: 'pending', attempts: 0 },
  ]);
  const jobs = await workers.take('localize-images');
  expect(jobs.map(({ data }) => data.listing_id).toSorted()).toEqual([pending, failed].toSorted());
  expect((await admin.get(`/api/admin/jobs/${body.job_id}`)).body).toMatchObject({ state: 'completed', progress: 100 });
  expect(await query('select status, total, counters from runs')).toEqual([
    { status: 'succeeded', total: 2, counters: { done: 2, pictures: 1 } },
  ]);
});

test('a run ends with its job: at once when that is cancelled, also while it is worked, and within a minute when it has failed', async () => {
  await scraped(1);
  const statuses = () => query('select status, error from runs order by created_at');
  const start = async () => (await admin.post('/api/admin/localize-images')).body.job_id;
  const sweep = () => endLostRuns(workers.services, {}, undefined as never);
  await admin.post(`/api/admin/jobs/${await start()}/cancel`);
  expect(await statuses()).toEqual([{ status: 'cancelled', error: null }]);

  const jobId = await start();
  const [job] = await workers.take('requeue-images');
  await query(`update runs set status = 'running' where job_id = $1`, [jobId]);
  expect(await sweep()).toEqual({ ended: 0 });
  await admin.post(`/api/admin/jobs/${jobId}/cancel`);
  expect((await statuses())[1]).toEqual({ status: 'cancelled', error: null });
  const context = { signal: new AbortController().signal, log: workers.services.log, jobId, attempt: 0 };
  expect(await requeueImages(workers.services, job!.data, context)).toEqual({ outcome: 'stopped' });

  await query(`update pgboss.job set state = 'failed', output = '{"error": "no room"}' where id = $1`, [await start()]);
  expect(await sweep()).toEqual({ ended: 1 });
  expect((await statuses())[2]).toEqual({ status: 'failed', error: 'no room' });
  expect(
    await query(
      `select type, data->>'status' as status from events where subject in (select id from runs) order by seq`,
    ),
  ).toEqual([
    { type: 'run.cancelled', status: 'cancelled' },
    { type: 'run.cancelled', status: 'cancelled' },
    { type: 'run.failed', status: 'failed' },
  ]);
});

test('a run that was killed halfway goes on from where it stands', async () => {
  const ids = (await scraped(3)).toSorted();
  await workers.take('localize-images');
  await admin.post('/api/admin/localize-images');
  await query(
    `update runs set status = 'running', cursor = jsonb_build_object('after', $1::text), counters = '{"done": 1, "pictures": 0}'`,
    [ids[0]],
  );
  expect(await workers.work('requeue-images')).toMatchObject([{ output: { listings: 3 } }]);
  expect((await workers.take('localize-images')).map(({ data }) => data.listing_id).toSorted()).toEqual(ids.slice(1));
});
