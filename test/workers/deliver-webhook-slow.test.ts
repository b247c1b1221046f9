import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { newId } from '../../shared/kit/ids.ts';
import { createRunnerBoss, workQueues, type Runner } from '../../shared/queues/runner.ts';
import { createJobMetrics, createRegistry } from '../../shared/kit/metrics.ts';
import { createWebhookSecret } from '../../shared/webhooks/secret.ts';
import { handlers } from '../../workers/handlers.ts';
import { createWorkerServices } from '../../workers/services.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startSite, type Site } from '../support/site-server.ts';
import { waitFor } from '../support/waiting.ts';

let app: TestApp;
let site: Site;
let runner: Runner;
let stopServices: () => Promise<void>;
let hanging = 0;
beforeAll(async () => {
  site = await startSite({
    '/hook': 'noted',
    // Takes the request and never answers.
    '/hangs': () => {
      hanging += 1;
    },
  });
  app = await startApp();
  const { log, config } = app.services;
  const boss = await createRunnerBoss(app.database.url, log);
  const { services, stop } = await createWorkerServices({ ...config, fetchAllow: ['127.0.0.1'] }, log, boss);
  stopServices = stop;
  runner = await workQueues(boss, { 'deliver-webhook': handlers['deliver-webhook'] }, services, {
    pool: services.pool,
    log,
    metrics: createJobMetrics(createRegistry('test')),
  });
});
afterAll(async () => {
  await runner.stop();
  await stopServices();
  await app.close();
  await site.close();
});

/** Webhooks, each with so many deliveries that are due. */
async function dueDeliveries(count: number, each: number, path: string): Promise<string[]> {
  const { db, jobs, clock } = app.services;
  const user = await app.createUser();
  const webhooks = Array.from({ length: count }, () => newId('webhook'));
  const deliveries = webhooks.flatMap((webhook_id) =>
    Array.from({ length: each }, () => ({
      id: newId('webhook_delivery'),
      webhook_id,
      event_type: 'ping',
      payload: '{}',
      created_at: clock.now(),
    })),
  );
  await inTransaction(db, async (tx) => {
    const rows = webhooks.map((id) => ({
      id,
      user_id: user.id,
      url: site.url + path,
      events: ['*'],
      secret: createWebhookSecret(),
      created_at: clock.now(),
    }));
    await tx.insertInto('webhooks').values(rows).execute();
    await tx.insertInto('webhook_deliveries').values(deliveries).execute();
    await jobs.enqueueAll(
      tx,
      'deliver-webhook',
      deliveries.map(({ id }) => ({ payload: { delivery_id: id } })),
    );
  });
  return deliveries.map(({ id }) => id);
}

test('20 subscribers that hang, with 10 deliveries each, do not hold up the others', async () => {
  await dueDeliveries(20, 10, '/hangs');
  await waitFor(() => expect(hanging).toBeGreaterThanOrEqual(20));
  const quick = await dueDeliveries(10, 2, '/hook');
  await waitFor(async () => {
    const { rows } = await app.database.pool.query(
      `select status, count(*)::int as count from webhook_deliveries where id = any($1) group by status`,
      [quick],
    );
    expect(rows).toEqual([{ status: 'delivered', count: quick.length }]);
  });
  const { rows } = await app.database.pool.query(
    `select count(*) filter (where status = 'delivered')::int as answered, count(*) filter (where attempts > 0)::int as tried, count(*) filter (where claimed_until is not null)::int as in_flight
     from webhook_deliveries d join webhooks w on w.id = d.webhook_id where w.url like '%/hangs'`,
  );
  // None of those has ended meanwhile, not even at the deadline of a post.
  expect(rows[0]).toMatchObject({ answered: 0, tried: 0 });
  expect(rows[0].in_flight).toBeLessThanOrEqual(80);
});
