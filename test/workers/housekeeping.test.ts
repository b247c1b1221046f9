import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { ingestBody } from '../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';
import { foldCounts } from '../../workers/fold-counts.ts';
import { indexListing } from '../../workers/index-listing.ts';
import { purgeOldRows } from '../../workers/purge-old-rows.ts';

let app: TestApp;
let workers: TestWorkers;
let scout: TestUser;
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  scout = await app.createUser();
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

const context = { signal: new AbortController().signal, log: undefined as never, jobId: 'none', attempt: 0 };
const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows;

test('fold-counts keeps every sum while listings come and change, and leaves nothing behind', async () => {
  const sums = () =>
    query(`select category_id, status, sum(n)::int as n from (select * from listing_counts union all select * from listing_count_deltas) as c
           group by 1, 2 having sum(n) <> 0 order by 1, 2`);
  const truth = () => query('select category_id, status, count(*)::int as n from listings group by 1, 2 order by 1, 2');
  await app.as(scout).post('/api/ingest', { records: Array.from({ length: 20 }, () => ingestBody()) });
  await Promise.all([
    foldCounts(workers.services, {}, context),
    app.as(scout).post('/api/ingest/publish-bulk'),
    foldCounts(workers.services, {}, context),
    app
      .as(scout)
      .post('/api/ingest', { records: Array.from({ length: 20 }, () => ingestBody({ category_id: 'bowriders' })) }),
  ]);
  expect(await sums()).toEqual(await truth());
  await foldCounts(workers.services, {}, context);
  expect(await query('select * from listing_count_deltas')).toEqual([]);
  expect(await sums()).toEqual(await truth());
});

test('index-listing makes the words of public listings known to the correction of typing errors', async () => {
  const record = ingestBody({ title: 'Windpilot Pacific self-steering gear' });
  const { body } = await app.as(scout).post('/api/ingest', { records: [record] });
  const id: string = body.ids[record.url];
  await app.as(scout).post(`/api/listings/${id}/publish`);
  await indexListing(workers.services, { listing_ids: [id] }, context);
  expect(await query(`select word from search_words where word = 'windpilot'`)).toEqual([{ word: 'windpilot' }]);
});

test('purge-old-rows deletes what is old and nothing else, in batches', async () => {
  const now = app.services.clock.now();
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
  await query(
    `insert into events (type, subject, data, created_at) select 'ping', 'x' || n, '{}', case when n <= 12000 then $1::timestamptz else $2::timestamptz end
     from generate_series(1, 12100) as n`,
    [daysAgo(91), daysAgo(89)],
  );
  await query(`insert into rate_windows values ('a', $1, 1), ('a', $2, 1)`, [daysAgo(1), now]);
  await query(`insert into quota_uses values ('q', 'u', $1, 1), ('q', 'u', $2, 1)`, [daysAgo(3), now]);
  await query(
    `insert into idempotency_keys (caller, key, operation, fingerprint, status, headers, body, created_at)
     values ('c', 'old', 'o', '', 200, '{}', '', $1), ('c', 'new', 'o', '', 200, '{}', '', $2)`,
    [daysAgo(3), now],
  );
  const deleted = await purgeOldRows(workers.services, {}, context);
  expect(deleted).toMatchObject({ events: 12_000, quota_uses: 1, idempotency_keys: 1 });
  expect(await query(`select count(*)::int as n from events where type = 'ping'`)).toEqual([{ n: 100 }]);
  expect(await query(`select key from idempotency_keys where caller = 'c'`)).toEqual([{ key: 'new' }]);
  expect(await query(`select used from rate_windows where bucket = 'a'`)).toHaveLength(1);
});
