import { afterEach, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { newId } from '../../shared/kit/ids.ts';
import { openRun } from '../../shared/runs/runs.ts';
import { finishCrawl, newScraperRun } from '../../shared/scrapers/runs.ts';
import { ingestRecord } from '../../workers/ingest-record.ts';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { ingestBody } from '../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let admin: TestUser;
let scraperId: string;
let runId: string;

beforeEach(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  admin = await app.createUser({ role: 'admin' });
  scraperId = newId('scraper');
  const { db, clock } = app.services;
  const now = clock.now();
  await db
    .insertInto('scrapers')
    .values({
      id: scraperId,
      name: 'x',
      site: 'x.example.com',
      kind: 'http',
      start_urls: [],
      extract: '{}',
      max_pages: 1,
      requests_per_minute: 1,
      owner_id: admin.id,
      created_at: now,
      updated_at: now,
    })
    .execute();
  runId = await inTransaction(db, (tx) =>
    openRun(tx, newScraperRun({ scraperId, trigger: 'manual', startedBy: admin.id }), now),
  );
  await db.updateTable('runs').set({ status: 'running' }).where('id', '=', runId).execute();
});
afterEach(async () => {
  await workers.close();
  await app.close();
});

const enqueue = (...records: Record<string, unknown>[]) =>
  inTransaction(app.services.db, (tx) =>
    app.services.jobs.enqueueAll(
      tx,
      'ingest-record',
      records.map((record) => ({ payload: { run_id: runId, scraper_id: scraperId, user_id: admin.id, record } })),
    ),
  );
const runOf = async () =>
  (await app.database.pool.query('select status, counters, errors from runs where id = $1', [runId])).rows[0];
const context = (jobId: string, attempt: number) => ({
  signal: new AbortController().signal,
  log: workers.services.log,
  jobId,
  attempt,
});

test('records are stored for the owner of the scraper and counted in the run, which ends with the last of them', async () => {
  const record = ingestBody();
  await enqueue(
    record,
    ingestBody(),
    { ...ingestBody(), title: undefined, attributes: {} },
    ingestBody({ url: 'nonsense' }),
  );
  await inTransaction(app.services.db, async (tx) => {
    await tx
      .updateTable('runs')
      .set({ counters: JSON.stringify({ records_found: 4 }) })
      .where('id', '=', runId)
      .execute();
    await finishCrawl(tx, app.services.jobs, runId, new Date());
  });
  const results = await workers.work('ingest-record');
  expect(results.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'completed']);
  const run = await runOf();
  expect(run).toMatchObject({ status: 'succeeded', counters: { created: 2, failed: 2 } });
  const reasons = run.errors.map(({ message }: { message: string }) => message).sort();
  expect(reasons).toEqual(['The record does not fit the schema IngestRecord.', 'The record has no title.']);
  const { rows } = await app.database.pool.query(
    'select l.seller_id, s.scraper_id, s.url from listings l join listing_sources s on s.listing_id = l.id where s.url = $1',
    [record.url],
  );
  expect(rows).toEqual([{ seller_id: admin.id, scraper_id: scraperId, url: record.url }]);
});

test('the same job worked twice, or by two workers at once, counts once', async () => {
  await enqueue(ingestBody());
  const [job] = await workers.take('ingest-record');
  if (!job) throw new Error('there is no job');
  const work = () => ingestRecord(workers.services, job.data, context(job.id, job.retryCount));
  const outcomes = await Promise.all([work(), work()]);
  await work();
  expect(outcomes.map((outcome) => (outcome as { outcome: string }).outcome).sort()).toEqual([
    'created',
    'settled by another try',
  ]);
  expect((await runOf()).counters).toMatchObject({ created: 1, updated: 0, unchanged: 0 });
  const { rows } = await app.database.pool.query('select state from pgboss.job where id = $1', [job.id]);
  expect(rows).toEqual([{ state: 'completed' }]);
});

test('a job that failed before its transaction ended has done nothing, and does it when it is tried again', async () => {
  await enqueue(ingestBody());
  const [job] = await workers.take('ingest-record');
  if (!job) throw new Error('there is no job');
  const broken = {
    ...workers.services,
    jobs: { ...workers.services.jobs, enqueue: () => Promise.reject(new Error('killed')) },
  };
  await expect(ingestRecord(broken, job.data, context(job.id, 0))).rejects.toThrow('killed');
  const { rows } = await app.database.pool.query('select count(*)::int as n from listings');
  expect(rows).toEqual([{ n: 0 }]);
  await app.services.jobs.boss.fail('ingest-record', job.id);
  await app.database.pool.query('update pgboss.job set start_after = now() where id = $1', [job.id]);
  expect(await workers.work('ingest-record')).toMatchObject([{ status: 'completed', output: { outcome: 'created' } }]);
  expect((await runOf()).counters).toMatchObject({ created: 1 });
});

test('a value that the database refuses counts as failed, with its reason in the run', async () => {
  await app.database.pool.query(`alter table listings add constraint no_refused check (title not like '%refused%')`);
  await enqueue(ingestBody({ title: 'This title is refused' }));
  expect(await workers.work('ingest-record')).toMatchObject([{ status: 'completed', output: { outcome: 'failed' } }]);
  expect(await runOf()).toMatchObject({
    counters: { failed: 1 },
    errors: [{ message: expect.stringContaining('cannot be stored') }],
  });
});

test('a crawl stores the page of a member as the listing of the marketplace, also when its owner is no administrator any more', async () => {
  const member = await app.createUser();
  const record = ingestBody();
  const { body } = await app.as(member).post('/api/ingest', { records: [record] });
  await app.createUser({ role: 'admin' });
  await app.database.pool.query(`update users set role = 'user' where id = $1`, [admin.id]);
  await enqueue({ ...record, title: 'As the crawl has read it' });
  expect(await workers.work('ingest-record')).toMatchObject([{ output: { outcome: 'created' } }]);
  const { rows } = await app.database.pool.query(
    `select l.id, l.seller_id, s.owner, s.scraper_id from listings l join listing_sources s on s.listing_id = l.id
     where s.url = $1 order by l.id`,
    [record.url],
  );
  expect(rows).toEqual([
    { id: body.ids[record.url], seller_id: member.id, owner: member.id, scraper_id: null },
    { id: expect.any(String), seller_id: admin.id, owner: 'marketplace', scraper_id: scraperId },
  ]);
  await enqueue({ ...record, title: 'As the crawl has read it again' });
  expect(await workers.work('ingest-record')).toMatchObject([
    { output: { outcome: 'updated', listingId: rows[1].id } },
  ]);
});
