import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { newId } from '../../shared/kit/ids.ts';
import { claimDelivery } from '../../shared/webhooks/claim.ts';
import { recordDeliveryOutcome } from '../../shared/webhooks/settle.ts';
import { deliverWebhook } from '../../workers/deliver-webhook.ts';
import { resumeWebhooks } from '../../workers/resume-webhooks.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startSite, type Site } from '../support/site-server.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';
import { waitFor } from '../support/waiting.ts';

/** Long enough for a machine that does much else. */

const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const earlierSecret = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;

let app: TestApp;
let workers: TestWorkers;
let site: Site;
let now = new Date('2026-03-01T12:00:00Z');
let status = 200;
const hanging: IncomingMessage[] = [];
let received: { headers: IncomingMessage['headers']; body: string }[] = [];

beforeAll(async () => {
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(status, { location: `${site.url}/elsewhere` }).end('noted');
  };
  site = await startSite({
    '/hook': (request, response) => void take(request, response),
    '/elsewhere': 'no',
    // Never answers; the sender gives up when its process stops.
    '/hangs': (request) => void hanging.push(request),
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
/** Works a delivery as far as its job waits for it. */
const begin = (id: string) => deliverWebhook(workers.services, { delivery_id: id }, context);
const work = async (id: string) => {
  await begin(id);
  await workers.services.background.idle();
};
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
  const began = now;
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await work(id);
    const { next_attempt_at: next } = await deliveryOf(id);
    expect(await jobsOf(id)).toHaveLength(Math.min(attempt + 1, 7));
    await work(id);
    expect(received).toHaveLength(attempt + 1);
    if (next) waits.push((next.getTime() - now.getTime()) / 1_000);
    now = next ?? now;
  }
  expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]);
  expect(await deliveryOf(id)).toMatchObject({
    status: 'failed',
    attempts: 8,
    status_code: 500,
    error: 'The server answered 500.',
  });
  expect(await webhookOf(webhookId)).toMatchObject({ failing_since: began, active: true });
  await work(id);
  expect(received).toHaveLength(8);
});

test('overlapping jobs of one delivery post it once and queue one next try', async () => {
  const id = await deliver(await subscribe());
  status = 503;
  await Promise.all([work(id), work(id)]);
  expect(received).toHaveLength(1);
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
  expect(await deliveryOf(other)).toMatchObject({ status: 'failed', error: 'The webhook was switched off.' });
});

test('410 switches the webhook off at once, ends what waits for it and mails its owner', async () => {
  const webhookId = await subscribe();
  const id = await deliver(webhookId);
  const other = await deliver(webhookId);
  status = 410;
  await work(id);
  expect(await deliveryOf(id)).toMatchObject({ status: 'failed', status_code: 410, next_attempt_at: null });
  expect(await deliveryOf(other)).toMatchObject({ status: 'failed' });
  expect(await webhookOf(webhookId)).toMatchObject({ active: false });
  const { rows } = await app.database.pool.query(
    `select data->>'message_id' as id from pgboss.job where name = 'send-email' and data->>'template' = 'webhook-gone'`,
  );
  expect(rows).toEqual([{ id: `webhook-gone.${webhookId}.${now.getTime()}` }]);
});

test('a subscriber that hangs keeps no job waiting, has few deliveries in flight, and the next wait until one has settled', async () => {
  const webhookId = await subscribe({ url: `${site.url}/hangs` });
  const ids = [];
  for (let count = 0; count < 6; count += 1) ids.push(await deliver(webhookId));
  const other = await deliver(await subscribe());
  const results = await Promise.all(ids.map(begin));
  await begin(other);
  await waitFor(() => expect(received).toHaveLength(1));
  // They hang for as long as this test lets them: no job has waited for their end.
  await waitFor(() => expect(hanging).toHaveLength(4));
  const parked = ids.filter((_, index) => 'skipped' in (results[index] as object));
  expect(parked).toHaveLength(2);
  const [first = ''] = parked;
  expect(await deliveryOf(first)).toMatchObject({ status: 'pending', parked: true, attempts: 0 });

  // One of the four fails: from now on one at a time, so nobody is woken yet; when the others have ended too, one is.
  for (const request of hanging.splice(0)) request.destroy();
  await waitFor(async () => expect(await jobsOf(first)).toHaveLength(1));
  expect(await deliveryOf(first)).toMatchObject({ parked: false });
  expect(await webhookOf(webhookId)).toMatchObject({ failing_since: now });
  expect(await begin(first)).toEqual({ in_background: true });
  expect(await begin(parked[1] ?? '')).toHaveProperty('skipped');
  await waitFor(() => expect(hanging).toHaveLength(1));
  for (const request of hanging.splice(0)) request.destroy();
  await waitFor(async () => expect(await deliveryOf(first)).toMatchObject({ attempts: 1 }));
});

test('a delivery whose worker died is sent on, so is one whose job was lost; the outcome of a claim that ran out is dropped', async () => {
  const webhookId = await subscribe();
  const died = await deliver(webhookId);
  const lost = await deliver(webhookId);
  const fresh = await deliver(webhookId);
  const claim = await inTransaction(app.database.db, (tx) => claimDelivery(tx, died, now));
  if (typeof claim === 'string') throw new Error(claim);
  const resume = () => resumeWebhooks(workers.services, {}, context);
  await app.database.pool.query(
    `update webhook_deliveries set created_at = created_at - interval '6 minutes' where id = $1`,
    [lost],
  );
  await resume();
  expect([await jobsOf(died), await jobsOf(lost), await jobsOf(fresh)].map((jobs) => jobs.length)).toEqual([0, 1, 0]);
  now = new Date(now.getTime() + 31_000);
  await resume();
  expect(await jobsOf(died)).toHaveLength(1);
  await work(died);
  expect(await deliveryOf(died)).toMatchObject({ status: 'delivered' });
  const late = { statusCode: 500, error: 'late', durationMs: 1 };
  await inTransaction(app.database.db, (tx) => recordDeliveryOutcome(tx, workers.services.jobs, claim, late, now));
  expect(await deliveryOf(died)).toMatchObject({ status: 'delivered', attempts: 1 });
});

test('a delivery parked behind others that died is woken; one behind a live one waits on', async () => {
  const [dead, live] = [await subscribe(), await subscribe()];
  const parked = [await deliver(dead), await deliver(live)];
  const others = [await deliver(dead), await deliver(live)];
  const { pool } = app.database;
  await pool.query('update webhook_deliveries set parked = true where id = any($1)', [parked]);
  const until = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
  for (const [index, seconds] of [-1, 20].entries())
    await pool.query('update webhook_deliveries set claimed_until = $2 where id = $1', [others[index], until(seconds)]);
  await resumeWebhooks(workers.services, {}, context);
  const jobs = await Promise.all([...parked, ...others].map(jobsOf));
  expect(jobs.map(({ length }) => length)).toEqual([1, 0, 1, 0]);
});

test('what is in the background when the process stops is given back at once, and counts as no attempt', async () => {
  const others = await startWorkers(app, { clock: { now: () => now }, env: { fetchAllow: ['127.0.0.1'] } });
  const id = await deliver(await subscribe({ url: `${site.url}/hangs` }));
  const result = await deliverWebhook(others.services, { delivery_id: id }, context);
  expect(result).toEqual({ in_background: true });
  await others.close();
  expect(await deliveryOf(id)).toMatchObject({ status: 'pending', attempts: 0, claimed_until: null });
  expect(await jobsOf(id)).toHaveLength(1);
});
