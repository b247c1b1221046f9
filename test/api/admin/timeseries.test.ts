import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sumCounters, writeMetricSample } from '../../../shared/admin/metric-samples.ts';
import { quantileOf } from '../../../shared/admin/time-series.ts';
import { offer } from '../../support/dedup-groups.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let admin: Client;
beforeAll(async () => {
  app = await startApp();
  admin = app.as(await app.createUser({ role: 'admin' }));
});
afterAll(() => app.close());

/** What a process has shared of itself. */
const shared = (requests: number, failed: number, quick: number) => [
  {
    name: 'quayside_http_requests_total',
    values: [
      { value: requests, labels: { operation: 'searchListings', method: 'GET', status: 200 } },
      { value: failed, labels: { operation: 'searchListings', method: 'GET', status: 503 } },
    ],
  },
  {
    name: 'quayside_http_request_duration_seconds',
    values: [
      {
        value: quick,
        labels: { le: 0.01, operation: 'a' },
        metricName: 'quayside_http_request_duration_seconds_bucket',
      },
      {
        value: requests + failed,
        labels: { le: 0.1, operation: 'a' },
        metricName: 'quayside_http_request_duration_seconds_bucket',
      },
      {
        value: requests + failed,
        labels: { le: '+Inf', operation: 'a' },
        metricName: 'quayside_http_request_duration_seconds_bucket',
      },
      { value: 1.5, labels: { operation: 'a' }, metricName: 'quayside_http_request_duration_seconds_sum' },
    ],
  },
  { name: 'quayside_jobs_total', values: [{ value: 7, labels: { queue: 'send-email', outcome: 'completed' } }] },
];

test('counters of all processes are added up, whatever else they share', () => {
  const sum = sumCounters([shared(90, 10, 50), shared(10, 0, 10), 'nonsense', [{ name: 'other', values: [] }]]);
  expect(sum).toEqual({
    requests: 110,
    errors: 10,
    durationBuckets: { '0.01': 60, '0.1': 110, '+Inf': 110 },
    jobsDone: 14,
    jobsFailed: 0,
  });
});

test('a percentile is linear within its bucket, and no more than the last bound is told of what is beyond', () => {
  const buckets = [
    { upTo: 0.01, count: 50 },
    { upTo: 0.1, count: 90 },
    { upTo: Infinity, count: 100 },
  ];
  expect(quantileOf(buckets, 0.25)).toBeCloseTo(5);
  expect(quantileOf(buckets, 0.7)).toBeCloseTo(55);
  expect(quantileOf(buckets, 0.95)).toBeCloseTo(100);
  expect(quantileOf([{ upTo: Infinity, count: 0 }], 0.5)).toBeNull();
});

describe('the series', () => {
  const pool = () => app.database.pool;
  const minute = (ago: number) => new Date(Date.now() - ago * 60_000);
  const share = async (process: string, metrics: unknown) =>
    pool().query(
      `insert into process_metrics (process_id, process, metrics, updated_at) values ($1, 'api', $2, now())
       on conflict (process_id) do update set metrics = excluded.metrics`,
      [process, JSON.stringify(metrics)],
    );

  test('has rates between the minutes over all processes, is kept once a minute, and drops what is too old', async () => {
    await pool().query('delete from process_metrics');
    await share('one', shared(100, 0, 100));
    await writeMetricSample(pool(), minute(3));
    await share('one', shared(220, 6, 160));
    await share('two', shared(54, 0, 54));
    expect(await writeMetricSample(pool(), minute(2))).toEqual({ sampled: true });
    expect(await writeMetricSample(pool(), minute(2))).toEqual({ sampled: false });
    // A process that was purged takes its counters along: nothing is known of that minute.
    await pool().query(`delete from process_metrics where process_id = 'one'`);
    await writeMetricSample(pool(), minute(1));
    const { status, body } = await admin.get('/api/admin/timeseries?range=hour');
    expect(status).toBe(200);
    expect(body).toMatchObject({ range: 'hour', step_seconds: 60 });
    expect(body.points).toMatchObject([
      { requests_per_second: 3, errors_per_second: 0.1, published: 0, sold: 0, queued: expect.any(Number) },
      { requests_per_second: null, errors_per_second: null },
    ]);
    expect(body.points[0].p50_ms).toBeGreaterThan(0);

    await pool().query(
      `insert into metric_samples select $1::timestamptz - interval '100 days', requests, errors, duration_buckets,
      jobs_done, jobs_failed, queued, dead, published, sold from metric_samples limit 1`,
      [minute(0)],
    );
    await writeMetricSample(pool(), minute(0));
    const { rows } = await pool().query('select count(*)::int as n from metric_samples');
    expect(rows[0].n).toBe(4);
  });

  test('cannot be asked for another range: 400', async () => {
    expect((await admin.get('/api/admin/timeseries?range=year')).status).toBe(400);
  });
});

test('anything is found by its id, and by what it is called', async () => {
  const user = await app.createUser({ name: 'Wilhelmina Krabbe', email: 'krabbe@harbour.example' });
  const { id } = (
    await admin.post('/api/admin/scrapers', { name: 'Krabbe boats', start_urls: ['https://example.com/'] })
  ).body;
  const find = async (q: string) => (await admin.get(`/api/admin/search?q=${encodeURIComponent(q)}`)).body.results;
  expect(await find('krabbe')).toEqual([
    { kind: 'user', id: user.id, title: 'Wilhelmina Krabbe', note: 'krabbe@harbour.example' },
    { kind: 'scraper', id, title: 'Krabbe boats', note: 'example.com' },
  ]);
  await app.createUser({ name: 'Not krabbe@harbour.example' });
  await offer(app, user, { title: 'A boat of Krabbe' });
  for (const q of [user.id, 'Krabbe@Harbour.example'])
    expect((await find(q)).slice(0, 2)).toMatchObject([{ kind: 'user', id: user.id }, { kind: 'listing' }]);
  const { job_id: job } = (await admin.post('/api/admin/backup')).body;
  expect(await find(job)).toMatchObject([{ kind: 'job', id: job, title: 'backup-database' }]);
  expect(await find('%')).toEqual([]);
});
