import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAi } from '../../../shared/adapters/ai.ts';
import { rewriteMigration } from '../../../workers/rewrite-migration.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { createKey } from '../../support/openapi-cases-things.ts';
import { startOpenAiServer, type OpenAiServer } from '../../support/openai-server.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { storeListings } from '../listings/search-fixture.ts';
import { translatable, translate } from './translator.ts';

let app: TestApp;
let workers: TestWorkers;
let provider: OpenAiServer;
let seller: TestUser;
let admin: TestUser;
beforeAll(async () => {
  provider = await startOpenAiServer();
  app = await startApp();
  workers = await startWorkers(app);
  seller = await app.createUser();
  admin = await app.createUser({ role: 'admin' });
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await provider.close();
});

const ai = () => createAi({ apiKey: 'sk-tests', baseUrl: provider.url, model: 'a-model' });
beforeEach(async () => {
  const { pool } = app.database;
  await pool.query(`update runs set status = 'cancelled' where kind = 'rewrite-migration'`);
  await pool.query('delete from listing_rewrites');
  await pool.query('delete from listings');
  await workers.take('rewrite-migration');
  await pool.query(`delete from pgboss.job where name = 'rewrite-migration'`);
  provider.feel(translate);
  workers.services.ai = ai();
});

const store = (count: number) =>
  storeListings(
    app,
    seller,
    Array.from({ length: count }, () => {
      const { title, description } = translatable();
      return { title, description, category_id: 'cruising' };
    }),
  );
const control = (step: 'start' | 'stop') => app.as(admin).post(`/api/admin/rewrite-migration/${step}`);
const status = async () => (await app.as(admin).get('/api/admin/rewrite-migration/status')).body;
const makeDue = () =>
  app.database.pool.query(`update pgboss.job set start_after = now() where name = 'rewrite-migration'`);
/** Works batches until none is left. */
async function workAll() {
  for (;;) {
    await makeDue();
    const results = await workers.work('rewrite-migration');
    if (results.length === 0) return;
  }
}
const texts = async () => {
  const { rows } = await app.database.pool.query(
    `select status, count(*)::int as n from listing_rewrites group by status`,
  );
  return Object.fromEntries(rows.map(({ status: state, n }) => [state, n]));
};
const events = async () => {
  const { rows } = await app.database.pool.query(
    `select type from events where type like 'run.%' order by seq desc limit 2`,
  );
  return rows.map(({ type }) => type);
};

describe('the migration', () => {
  test('rewrites every public listing that lacks a text, with its progress, and ends with one event', async () => {
    await store(12);
    const started = await control('start');
    expect([started.status, started.body.status]).toEqual([202, 'queued']);
    expect((await control('start')).status).toBe(409);
    expect(await status()).toMatchObject({ running: true, migrated: 0, progress_percent: 0 });
    await workers.work('rewrite-migration');
    expect(await status()).toMatchObject({
      running: true,
      total: 12,
      migrated: 10,
      current_batch: 1,
      progress_percent: 83.3,
    });
    await workAll();
    expect(await status()).toEqual({
      running: false,
      paused_reason: null,
      total: 12,
      migrated: 12,
      progress_percent: 100,
      current_batch: 2,
      failed: 0,
      last_error: null,
    });
    expect(await texts()).toEqual({ completed: 84 });
    expect((await events())[0]).toBe('run.completed');
  });

  test('a listing whose text is refused counts as failed, and does not hold up the others', async () => {
    const [first] = await store(3);
    provider.feel((request) =>
      JSON.stringify(request.body).includes(first!.title)
        ? translate(request, { title: 'A yacht' })
        : translate(request),
    );
    await control('start');
    await workAll();
    expect(await status()).toMatchObject({
      migrated: 2,
      failed: 1,
      progress_percent: 100,
      last_error: 'A text was refused.',
    });
    await control('start');
    await workAll();
    expect(await status()).toMatchObject({ total: 0, migrated: 0, failed: 0, progress_percent: 100 });
  });

  test('stops after the listing at hand, and a new start goes on with the rest', async () => {
    await store(3);
    await control('start');
    let asked = 0;
    provider.feel(async (request) => {
      asked += 1;
      if (asked === 2) await control('stop');
      return translate(request);
    });
    await workAll();
    const stopped = await status();
    expect(stopped).toMatchObject({ running: false, paused_reason: null });
    expect(stopped.migrated).toBeLessThan(3);
    expect((await events())[0]).toBe('run.cancelled');
    expect((await control('stop')).status).toBe(409);
    await control('start');
    await workAll();
    expect((await status()).migrated).toBe(3 - stopped.migrated);
    expect(await texts()).toEqual({ completed: 21 });
  });

  test('killed in a batch it resumes behind the last listing, and asks for nothing twice', async () => {
    await store(3);
    await control('start');
    const killed = new AbortController();
    let asked = 0;
    provider.feel((request) => {
      asked += 1;
      if (asked === 10) killed.abort(new Error('killed'));
      return translate(request);
    });
    await workers.work('rewrite-migration', (services, payload, context) =>
      rewriteMigration(services, payload, { ...context, signal: killed.signal }),
    );
    expect(await status()).toMatchObject({ running: true, migrated: 1 });
    const before = (await texts()).completed ?? 0;
    provider.feel(translate);
    await workAll();
    expect(await status()).toMatchObject({ migrated: 3, progress_percent: 100 });
    expect(provider.requests).toHaveLength(21 - before);
  });

  test('a batch that another one has overtaken counts nothing', async () => {
    await store(1);
    await control('start');
    const run = await app.database.pool.query(`select id, job_id from runs where status = 'queued'`);
    const payload = { run_id: run.rows[0].id };
    const context = {
      signal: new AbortController().signal,
      log: workers.services.log,
      jobId: run.rows[0].job_id,
      attempt: 0,
    };
    await Promise.all([
      rewriteMigration(workers.services, payload, context),
      rewriteMigration(workers.services, payload, context),
    ]);
    expect((await status()).migrated).toBe(1);
  });

  test('pauses with the reason when the provider keeps failing; a start resumes it where it was', async () => {
    await store(2);
    await control('start');
    provider.feel({ status: 503 });
    await workers.work('rewrite-migration');
    expect(await status()).toMatchObject({
      running: true,
      paused_reason: null,
      last_error: 'The provider answers 503.',
    });
    await workAll();
    const reason = 'The AI provider keeps failing: The provider answers 503.';
    expect(await status()).toMatchObject({ running: false, paused_reason: reason, migrated: 0, failed: 0 });
    provider.feel(translate);
    expect((await control('start')).status).toBe(202);
    expect(await status()).toMatchObject({ running: true, paused_reason: null });
    await workAll();
    expect(await status()).toMatchObject({ running: false, paused_reason: null, migrated: 2, total: 2 });
  });

  test('a paused one ends at once', async () => {
    await store(1);
    await control('start');
    provider.feel({ status: 401 });
    await workAll();
    expect((await status()).paused_reason).toContain('401');
    expect((await control('stop')).body).toEqual({ job_id: null, status: 'stopped' });
    expect(await status()).toMatchObject({ running: false, paused_reason: null });
  });

  test('one whose job is lost is resumed by a start', async () => {
    await store(1);
    await control('start');
    await app.database.pool.query(`delete from pgboss.job where name = 'rewrite-migration'`);
    expect((await control('start')).status).toBe(202);
    await workAll();
    expect(await status()).toMatchObject({ running: false, migrated: 1 });
  });

  test('without a provider every text is skipped once', async () => {
    workers.services.ai = undefined;
    await store(2);
    await control('start');
    await workAll();
    expect(await status()).toMatchObject({ running: false, total: 2, migrated: 2 });
    expect(await texts()).toEqual({ skipped: 14 });
    await control('start');
    await workAll();
    expect((await status()).total).toBe(0);
  });
});

describe('step by step, by an agent', () => {
  const migrate = async (body?: unknown) => {
    const { key } = await createKey(app.services, admin, 'admin');
    return app.as(key).post('/api/rewriting/migrate', body);
  };

  test('an admin key rewrites the next listings and is told what remains', async () => {
    await store(3);
    app.services.ai = ai();
    expect((await migrate({ limit: 2 })).body).toEqual({ migrated: 2, failed: 0, remaining: 1 });
    expect((await migrate()).body).toEqual({ migrated: 1, failed: 0, remaining: 0 });
    expect(await texts()).toEqual({ completed: 21 });
  });

  test('a provider in trouble is 503', async () => {
    await store(1);
    app.services.ai = ai();
    provider.feel({ status: 500 });
    const { status: code, body } = await migrate();
    expect([code, body.error.code]).toEqual([503, 'service_unavailable']);
  });

  test('a write key is 403', async () => {
    const { key } = await createKey(app.services, seller, 'write');
    expect((await app.as(key).post('/api/rewriting/migrate')).status).toBe(403);
  });
});
