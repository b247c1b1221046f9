import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let admin: Client;

beforeAll(async () => {
  app = await startApp();
  admin = app.as(await app.createUser({ role: 'admin' }));
});
afterAll(() => app.close());

const statusesOf = (replies: { status: number }[]) => replies.map((reply) => reply.status).toSorted((a, b) => a - b);
const newScraper = async () =>
  (await admin.post('/api/admin/scrapers', { name: 'Boats', start_urls: ['https://example.com/boats'] })).body
    .id as string;
const jobsOf = async (runId: string) =>
  (
    await app.database.pool.query(
      `select id, state from pgboss.job where name = 'run-scraper' and data->>'run_id' = $1`,
      [runId],
    )
  ).rows;
const eventsOf = async (runId: string) =>
  (await app.database.pool.query<{ type: string }>('select type from events where subject = $1', [runId])).rows.map(
    (row) => row.type,
  );

describe('POST /api/admin/scrapers/{id}/runs', () => {
  test('202 with the queued run, and one job', async () => {
    const id = await newScraper();
    const { status, body } = await admin.post(`/api/admin/scrapers/${id}/runs`);
    expect(status).toBe(202);
    expect(body).toEqual({
      id: expect.stringMatching(/^run_/),
      scraper_id: id,
      job_id: expect.any(String),
      trigger: 'manual',
      status: 'queued',
      created_at: expect.any(String),
      started_at: null,
      finished_at: null,
      ...{
        pages_fetched: 0,
        records_found: 0,
        created: 0,
        updated: 0,
        unchanged: 0,
        skipped: 0,
        failed: 0,
        withdrawn: 0,
      },
      errors: [],
    });
    expect(await jobsOf(body.id)).toEqual([{ id: body.job_id, state: 'created' }]);
    expect((await admin.get(`/api/admin/jobs/${body.job_id}`)).body.state).toBe('queued');
  });

  test('409 for all but one of ten starts at once, and one job', async () => {
    const id = await newScraper();
    const twin = await app.twin();
    const other = twin.as((await app.createUser({ role: 'admin' })).token);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 ? admin : other).post(`/api/admin/scrapers/${id}/runs`)),
    );
    await twin.close();
    expect(statusesOf(replies)).toEqual([202, ...Array(9).fill(409)]);
    const { rows } = await app.database.pool.query(
      `select count(*)::int as n from pgboss.job where name = 'run-scraper' and data->>'scraper_id' = $1`,
      [id],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('404 for an unknown scraper, 403 for a user', async () => {
    expect((await admin.post('/api/admin/scrapers/scr_00000000000000000000000000/runs')).status).toBe(404);
    expect((await app.as(await app.createUser()).post(`/api/admin/scrapers/${await newScraper()}/runs`)).status).toBe(
      403,
    );
  });
});

describe('POST /api/admin/scrapers/{id}/runs/{runId}/cancel', () => {
  test('200 ends the run at once, with one event; the next may start', async () => {
    const id = await newScraper();
    const { body: run } = await admin.post(`/api/admin/scrapers/${id}/runs`);
    const { status, body } = await admin.post(`/api/admin/scrapers/${id}/runs/${run.id}/cancel`);
    expect(status).toBe(200);
    expect(body).toEqual({ ...run, status: 'cancelled', finished_at: expect.any(String) });
    expect(await eventsOf(run.id)).toEqual(['run.cancelled']);
    expect((await admin.post(`/api/admin/scrapers/${id}/runs`)).status).toBe(202);
  });

  test('409 when the run has ended; of ten cancels at once one wins', async () => {
    const id = await newScraper();
    const { body: run } = await admin.post(`/api/admin/scrapers/${id}/runs`);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => admin.post(`/api/admin/scrapers/${id}/runs/${run.id}/cancel`)),
    );
    expect(statusesOf(replies)).toEqual([200, ...Array(9).fill(409)]);
    expect(await eventsOf(run.id)).toEqual(['run.cancelled']);
  });

  test('404 for an unknown run, and for the run of another scraper', async () => {
    const [id, other] = [await newScraper(), await newScraper()];
    const { body: run } = await admin.post(`/api/admin/scrapers/${id}/runs`);
    expect((await admin.post(`/api/admin/scrapers/${id}/runs/run_00000000000000000000000000/cancel`)).status).toBe(404);
    expect((await admin.post(`/api/admin/scrapers/${other}/runs/${run.id}/cancel`)).status).toBe(404);
  });
});

test('runs are listed newest first, by scraper and by status', async () => {
  const [id, other] = [await newScraper(), await newScraper()];
  const { body: cancelled } = await admin.post(`/api/admin/scrapers/${id}/runs`);
  await admin.post(`/api/admin/scrapers/${id}/runs/${cancelled.id}/cancel`);
  const { body: queued } = await admin.post(`/api/admin/scrapers/${id}/runs`);
  const { body: others } = await admin.post(`/api/admin/scrapers/${other}/runs`);
  const idsOf = async (path: string) => (await admin.get(path)).body.results.map((run: { id: string }) => run.id);

  expect(await idsOf(`/api/admin/scrapers/${id}/runs`)).toEqual([queued.id, cancelled.id]);
  expect(await idsOf(`/api/admin/scrapers/${id}/runs?status=cancelled`)).toEqual([cancelled.id]);
  expect(await idsOf(`/api/admin/runs?scraper_id=${other}`)).toEqual([others.id]);
  expect(await idsOf('/api/admin/runs?limit=2')).toEqual([others.id, queued.id]);
  expect((await admin.get(`/api/admin/scrapers/${id}/runs?limit=1&page=2`)).body).toMatchObject({
    results: [{ id: cancelled.id }],
    pagination: { page: 2, limit: 1, total: 2, pages: 2 },
  });
  expect((await admin.get('/api/admin/scrapers/scr_00000000000000000000000000/runs')).status).toBe(404);
});
