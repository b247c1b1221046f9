import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../../api/http/contract.ts';
import { queueOfRun } from '../../../shared/runs/kinds.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let admin: Client;
beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  admin = app.as(await app.createUser({ role: 'admin' }));
});
afterAll(() => app.close());

const scraperOf = async (url = 'https://example.com/boats') =>
  (await admin.post('/api/admin/scrapers', { name: 'Example boats', start_urls: [url], schedule: '0 4 * * *' })).body
    .id;

describe('the history of runs', () => {
  test('names every kind of long work in the contract, so that none is answered outside of its schema', async () => {
    const kinds = Object.keys(queueOfRun);
    expect(readContract().document).toHaveProperty('components.schemas.RunKind.enum', kinds);
    for (const kind of kinds) expect((await admin.get(`/api/admin/run-history?kind=${kind}`)).status).toBe(200);
  });

  test('holds the runs of every kind in one list, each with a record of its own, filtered by kind and state', async () => {
    const id = await scraperOf();
    const run = (await admin.post(`/api/admin/scrapers/${id}/runs`)).body.id;
    await admin.post('/api/admin/backup');
    const kindsOf = async (query: string) =>
      (await admin.get(`/api/admin/run-history${query}`)).body.results.map(({ kind }: { kind: string }) => kind);
    expect(await kindsOf('')).toEqual(['backup', 'scraper']);
    expect(await kindsOf('?kind=scraper')).toEqual(['scraper']);
    expect(await kindsOf('?status=failed')).toEqual([]);
    expect(await kindsOf(`?subject=${id}`)).toEqual(['scraper']);
    const { body } = await admin.get(`/api/admin/run-history/${run}`);
    expect(body).toMatchObject({ id: run, subject: id, subject_name: 'Example boats', status: 'queued', errors: [] });
    expect(body.started_by).toMatchObject({ name: expect.any(String) });
    expect((await admin.get('/api/admin/run-history/run_none')).status).toBe(404);
  });
});

describe('a scraper', () => {
  test('is read, and deleted with its schedule and its live run, while its run stays in the history', async () => {
    const id = await scraperOf();
    const run = (await admin.post(`/api/admin/scrapers/${id}/runs`)).body.id;
    expect((await admin.get(`/api/admin/scrapers/${id}`)).body).toMatchObject({ id, last_run: { id: run } });
    expect((await admin.delete(`/api/admin/scrapers/${id}`)).body).toEqual({ id, deleted: true });
    for (const answer of [
      await admin.get(`/api/admin/scrapers/${id}`),
      await admin.delete(`/api/admin/scrapers/${id}`),
    ])
      expect(answer.status).toBe(404);
    expect(await app.services.jobs.boss.getSchedules('run-scraper', id)).toEqual([]);
    expect((await admin.get(`/api/admin/run-history/${run}`)).body).toMatchObject({ status: 'cancelled', subject: id });
  });

  test('is tried on pages of its own site alone, and not at all when it reads a feed', async () => {
    const id = await scraperOf();
    const { status, body } = await admin.post(`/api/admin/scrapers/${id}/try`, { url: 'https://example.com/boats/1' });
    expect({ status, body }).toEqual({ status: 202, body: { job_id: expect.any(String), status: 'queued' } });
    const job = (await admin.get(`/api/admin/jobs/${body.job_id}`)).body;
    expect(job).toMatchObject({
      queue: 'try-page',
      subject: id,
      attempts: 0,
      max_attempts: 1,
      payload: { scraper_id: id },
    });
    for (const url of ['https://elsewhere.example/1', 'ftp://example.com/1', 'no address'])
      expect((await admin.post(`/api/admin/scrapers/${id}/try`, { url })).status, url).toBe(400);
    const feed = { name: 'Stock', kind: 'feed', site: 'boats.example.com', feed: { preset: 'csv' } };
    const { id: feedId } = (await admin.post('/api/admin/scrapers', feed)).body;
    expect((await admin.post(`/api/admin/scrapers/${feedId}/try`, { url: 'https://boats.example.com/1' })).status).toBe(
      409,
    );
  });
});
