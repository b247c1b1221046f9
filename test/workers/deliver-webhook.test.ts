import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '../../shared/ids.ts';
import { deliverWebhook } from '../../workers/deliver-webhook.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startSite, type Site } from '../support/site-server.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const earlierSecret = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;

let app: TestApp;
let workers: TestWorkers;
let site: Site;
let now = new Date('2026-03-01T12:00:00Z');
let status = 200;
let received: { headers: IncomingMessage['headers']; body: string }[] = [];

beforeAll(async () => {
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(status, { location: `${site.url}/elsewhere` }).end('noted');
  };
  const together: (() => void)[] = [];
  site = await startSite({
    '/hook': (request, response) => void take(request, response),
    // Answers when two have come.
    '/twice': (request, response) => {
      together.push(() => void take(request, response));
      if (together.length === 2) for (const answer of together.splice(0)) answer();
    },
    '/elsewhere': 'no',
  });
  app = await startApp();
  workers = await startWorkers(app, { clock: { now: () => now }, env: { fetchAllow: ['127.0.0.1'] } });
});
beforeEach(() => {
  status = 200;
  received = [];
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await site.close();
});

const subscribe = async (fields: Record<string, unknown> = {}) => {
  const webhook = {
    id: newId('webhook'),
    user_id: (await app.createUser()).id,
    url: `${site.url}/hook`,
    events: ['*'],
    secret,
    created_at: now,
    ...fields,
  };
  await app.database.db.insertInto('webhooks').values(webhook).execute();
  return webhook.id;
};
const deliver = async (webhookId: string) => {
  const id = newId('webhook_delivery');
  const payload = JSON.stringify({ id, type: 'ping', created_at: now.toISOString(), data: {} });
  await app.database.db
    .insertInto('webhook_deliveries')
    .values({ id, webhook_id: webhookId, event_type: 'ping', payload, created_at: now })
    .execute();
  return id;
};
const context = { signal: new AbortController().signal, log: undefined as never, jobId: 'none', attempt: 0 };
const work = (id: string) => deliverWebhook(workers.services, { delivery_id: id }, context);
const deliveryOf = async (id: string) =>
  (await app.database.pool.query('select * from webhook_deliveries where id = $1', [id])).rows[0];
const webhookOf = async (id: string) =>
  (await app.database.pool.query('select * from webhooks where id = $1', [id])).rows[0];
const jobsOf = async (id: string) =>
  (
    await app.database.pool.query(
      `select start_after from pgboss.job where name = 'deliver-webhook' and data->>'delivery_id' = $1 order by start_after`,
      [id],
    )
  ).rows;

test('the subscriber gets the payload, signed with the current and the replaced secret, once', async () => {
  const webhookId = await subscribe({
    previous_secret: earlierSecret,
    previous_secret_until: new Date(now.getTime() + 1_000),
  });
  const id = await deliver(webhookId);
  await work(id);
  await work(id);
  expect(received).toHaveLength(1);
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  expect(JSON.parse(body)).toMatchObject({ id, type: 'ping' });
  expect(headers).toMatchObject({
    'webhook-id': id,
    'webhook-timestamp': String(now.getTime() / 1_000),
    'content-type': 'application/json',
  });
  const signatures = String(headers['webhook-signature']).split(' ');
  expect(signatures).toEqual([secret, earlierSecret].map((key) => new Webhook(key).sign(id, now, body)));
  expect(await deliveryOf(id)).toMatchObject({
    status: 'delivered',
    attempts: 1,
    status_code: 200,
    error: null,
    delivered_at: now,
  });
  expect(await webhookOf(webhookId)).toMatchObject({ last_delivery_at: now, failing_since: null });
});

test('failures are repeated on the schedule, then the delivery has failed', async () => {
  const webhookId = await subscribe();
  const id = await deliver(webhookId);
  status = 500;
  const waits: number[] = [];
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await work(id);
    const { next_attempt_at: next } = await deliveryOf(id);
    if (next) waits.push((next.getTime() - now.getTime()) / 1_000);
    expect(await jobsOf(id)).toHaveLength(Math.min(attempt + 1, 7));
  }
  expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]);
  expect(await deliveryOf(id)).toMatchObject({
    status: 'failed',
    attempts: 8,
    status_code: 500,
    error: 'The server answered 500.',
  });
  expect(await webhookOf(webhookId)).toMatchObject({ failing_since: now, active: true });
  await work(id);
  expect(received).toHaveLength(8);
});

test('overlapping tries of one job note one failure and queue one next try', async () => {
  const id = await deliver(await subscribe({ url: `${site.url}/twice` }));
  status = 503;
  await Promise.all([work(id), work(id)]);
  expect(await deliveryOf(id)).toMatchObject({ attempts: 1 });
  expect(await jobsOf(id)).toHaveLength(1);
});

test('a redirect is not followed, a private address not reached', async () => {
  status = 302;
  const id = await deliver(await subscribe());
  await work(id);
  expect(await deliveryOf(id)).toMatchObject({ status: 'pending', status_code: 302 });
  expect(site.hits.get('/elsewhere')).toBeUndefined();
  const blocked = await deliver(await subscribe({ url: 'http://10.0.0.1/hook' }));
  await work(blocked);
  expect(await deliveryOf(blocked)).toMatchObject({
    status: 'pending',
    status_code: null,
    error: expect.stringContaining('private'),
  });
});

test('a webhook that has failed for five days is switched off and its owner mailed once; a success forgets the failures', async () => {
  const webhookId = await subscribe();
  status = 500;
  await work(await deliver(webhookId));
  status = 200;
  await work(await deliver(webhookId));
  expect(await webhookOf(webhookId)).toMatchObject({ failing_since: null });
  status = 500;
  await work(await deliver(webhookId));
  now = new Date(now.getTime() + 5 * 86_400_000);
  const last = await deliver(webhookId);
  const other = await deliver(webhookId);
  await work(last);
  expect(await webhookOf(webhookId)).toMatchObject({ active: false });
  expect(await jobsOf(last)).toEqual([]);
  const { rows } = await app.database.pool.query(
    `select data from pgboss.job where name = 'send-email' and data->>'template' = 'webhook-disabled'`,
  );
  expect(rows).toHaveLength(1);
  const tries = received.length;
  await work(other);
  expect(received).toHaveLength(tries);
});
