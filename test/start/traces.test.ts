import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { storeListings } from '../api/listings/search-fixture.ts';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { startOtlp, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { formOf, newPhoto } from '../support/pictures.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { startS3 } from '../support/s3-server.ts';
import { startSmtp, type SmtpServerStub } from '../support/smtp-server.ts';
import { startStripeServer } from '../support/stripe-server.ts';
import { eventually, waitFor } from '../support/waiting.ts';

const SERVER = 2;
const CLIENT = 3;
const PRODUCER = 4;
const CONSUMER = 5;
const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerId = 'b7ad6b7169203331';

/** Only for its database and its users: what is traced are real processes. */
let app: TestApp;
let seller: TestUser;
let buyer: TestUser;
let listingId: string;
let otlp: OtlpReceiver;
let smtp: SmtpServerStub;
let hook: { url: string; secret: string; received: IncomingHttpHeaders[]; close(): void };

beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  [seller, buyer] = [await app.createUser(), await app.createUser()];
  listingId = (await storeListings(app, seller, [{}]))[0]!.id;
  otlp = await startOtlp();
  smtp = await startSmtp();
  hook = await startHook();
});
afterAll(async () => {
  await app.close();
  await otlp.close();
  await smtp.close();
  hook.close();
});

async function startHook() {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    request.resume();
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/of-a-secret-path?key=of-a-secret-query`;
  const { body } = await app.as(seller).post('/api/webhooks', { url, events: ['message.received'], description: null });
  return { url, secret: String(body.secret), received, close: () => void server.close() };
}

const environment = () => ({
  DATABASE_URL: app.database.url,
  DATA_DIR: app.dataDir,
  JWT_SECRET: 'a secret of the tests alone',
  RATE_LIMIT_MULTIPLIER: '0',
  FETCH_ALLOW: '127.0.0.1',
  SMTP_URL: smtp.url,
  OTEL_BSP_SCHEDULE_DELAY: '50',
});

async function startApi(variables: Record<string, string>) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = startProcess('api/main.ts', { ...environment(), PORT: String(port), LOG_LEVEL: 'info', ...variables });
  await eventually(
    () =>
      fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    { describe: child.output },
  );
  return { url, ...child };
}

const contact = (url: string, headers: Record<string, string> = {}, by = buyer) =>
  fetch(`${url}/api/conversations`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${by.token}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ listing_id: listingId, message: 'Is she still for sale? Only I say cormorant.' }),
  });

const linesOf = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('one request, its transaction, its jobs, the webhook and the mail that they send are one trace over processes', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url, OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of-the-receiver' };
  const api = await startApi(endpoint);
  const workers = startProcess('workers/main.ts', { ...environment(), LOG_LEVEL: 'debug', ...endpoint });
  const answer = await contact(api.url, { traceparent: `00-${traceId}-${callerId}-01` });
  expect(answer.status).toBe(201);
  const describe = () => `${api.output()}\n${workers.output()}`;
  await eventually(() => hook.received.length > 0 && smtp.deliveries.length > 0, { describe });

  const ofTrace = (name: string, more: (span: ReceivedSpan) => boolean = () => true) =>
    waitFor(() => {
      const spans = otlp.spans.filter((span) => span.traceId === traceId && span.name === name && more(span));
      expect(
        spans.map(({ name }) => name),
        `one ${name} among\n${otlp.spans.map((s) => s.name).join('\n')}`,
      ).toHaveLength(1);
      return spans[0]!;
    }, 20_000);

  const request = await ofTrace('POST /api/conversations');
  expect(request).toMatchObject({ service: 'quayside-api', kind: SERVER, parentId: callerId, isError: false });
  expect(request.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/api/conversations',
    'http.response.status_code': 201,
    'quayside.operation': 'startConversation',
  });

  const commits = otlp.spans.filter(({ name, parentId }) => name === 'COMMIT' && parentId === request.spanId);
  expect(commits.length).toBeGreaterThan(0);
  const insert = await ofTrace('INSERT messages');
  expect(insert).toMatchObject({ service: 'quayside-api', kind: CLIENT, parentId: request.spanId });
  expect(insert.attributes).toMatchObject({ 'db.system.name': 'postgresql', 'db.collection.name': 'messages' });

  const sendMail = await ofTrace('send send-email');
  expect(sendMail).toMatchObject({ service: 'quayside-api', kind: PRODUCER, parentId: request.spanId });
  const mailJob = await ofTrace('process send-email');
  expect(mailJob).toMatchObject({ service: 'quayside-workers', kind: CONSUMER, parentId: sendMail.spanId });
  expect(mailJob.attributes).toMatchObject({
    'messaging.system': 'pg-boss',
    'messaging.destination.name': 'send-email',
    'messaging.operation.type': 'process',
    'messaging.message.id': sendMail.attributes['messaging.message.id'],
  });
  const mail = await ofTrace('send mail');
  expect(mail).toMatchObject({ service: 'quayside-workers', kind: CLIENT, parentId: mailJob.spanId });

  const sendWebhook = await ofTrace('send deliver-webhook');
  const events = otlp.spans.find(({ spanId }) => spanId === sendWebhook.parentId);
  expect(events).toMatchObject({ service: 'quayside-workers', name: 'process events', kind: CONSUMER, traceId });
  expect(events?.attributes['messaging.consumer.group.name']).toBe('webhooks');
  const webhookJob = await ofTrace('process deliver-webhook');
  expect(webhookJob).toMatchObject({ kind: CONSUMER, parentId: sendWebhook.spanId });
  const post = await ofTrace('POST');
  expect(post).toMatchObject({ service: 'quayside-workers', kind: CLIENT, parentId: webhookJob.spanId });
  expect(post.attributes).toMatchObject({
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(hook.url).port),
    'http.response.status_code': 204,
  });
  expect(hook.received[0]?.traceparent).toBe(`00-${traceId}-${post.spanId}-01`);

  const lines = await waitFor(() => {
    const found = linesOf(describe()).filter((line) => line['trace_id'] === traceId);
    expect(found.map(({ msg, queue }) => `${String(msg)} ${String(queue)}`)).toEqual(
      expect.arrayContaining(['request undefined', 'job done send-email', 'job done deliver-webhook']),
    );
    return found;
  });
  expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({ span_id: request.spanId });

  expect(otlp.headers.every((headers) => headers['api-key'] === 'of-the-receiver')).toBe(true);
  const sent = otlp.bodies.join('\n');
  const privates = [
    buyer.email,
    seller.email,
    buyer.token,
    hook.secret,
    'of-a-secret',
    'cormorant',

    listingId,
  ];
  expect(privates.filter((each) => sent.includes(each))).toEqual([]);
  expect(otlp.spans.some(({ name }) => name.includes('/health'))).toBe(false);

  // A job that was queued long ago, such as one that a person has put back, has a trace of its own.
  const since = Date.now() - 2 * 3_600_000;
  const message = { message_id: 'old.1', template: 'none', user_id: seller.id, data: {} };
  const queued = { ...message, trace: { traceparent: `00-${traceId}-${callerId}-01`, since } };
  const jobId = await inTransaction(app.services.db, (tx) => app.services.jobs.enqueue(tx, 'send-email', queued));
  const late = await waitFor(() => {
    const span = otlp.spans.find(({ attributes }) => attributes['messaging.message.id'] === jobId);
    expect(span).toBeDefined();
    return span!;
  });
  expect(late).toMatchObject({ name: 'process send-email', parentId: '', isError: true });
  expect(late.attributes['error.type']).toBe('deadletter');
  expect(late.traceId).not.toBe(traceId);
  expect(late.links).toEqual([{ traceId, spanId: callerId }]);

  expect(await workers.kill('SIGTERM')).toBe(0);
  expect(await api.kill('SIGTERM')).toBe(0);
}, 240_000);

test('an object that is stored and a session of payment are spans of their request, without key, secret or address', async () => {
  const [own, s3, stripe] = await Promise.all([startOtlp(), startS3(), startStripeServer()]);
  const { bucket, endpoint, credentials } = s3.config;
  const api = await startApi({
    OTEL_EXPORTER_OTLP_ENDPOINT: own.url,
    S3_BUCKET: bucket,
    S3_ENDPOINT: endpoint ?? '',
    S3_FORCE_PATH_STYLE: 'true',
    S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
    STRIPE_SECRET_KEY: 'sk_test_of-a-secret',
    STRIPE_WEBHOOK_SECRET: 'whsec_of-a-secret',
    STRIPE_API_BASE: stripe.url,
  });
  const authorization = { Authorization: `Bearer ${seller.token}` };
  const body = formOf([['file', await newPhoto()]]);
  const upload = await fetch(`${api.url}/api/upload`, { method: 'POST', headers: authorization, body });
  expect(upload.status, await upload.clone().text()).toBe(201);
  const checkout = await fetch(`${api.url}/api/listings/${listingId}/premium/checkout`, {
    method: 'POST',
    headers: { ...authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify({ plan: 'featured', duration: 7 }),
  });
  expect(checkout.status, await checkout.clone().text()).toBe(200);
  expect(await api.kill('SIGTERM')).toBe(0);

  const spanOf = (end: string) => own.spans.find(({ name }) => name.endsWith(end));
  const portOf = (url: string) => Number(new URL(url).port);
  expect(spanOf('S3/PutObject')).toMatchObject({
    kind: CLIENT,
    traceId: spanOf('/api/upload')?.traceId,
    attributes: { 'rpc.system': 'aws-api', 'rpc.service': 'S3', 'server.port': portOf(endpoint ?? '') },
  });
  expect(spanOf('/v1/checkout/sessions')).toMatchObject({
    kind: CLIENT,
    traceId: spanOf('/premium/checkout')?.traceId,
    attributes: { 'server.address': '127.0.0.1', 'server.port': portOf(stripe.url) },
  });
  const { url } = (await upload.json()) as { url: string };
  const sent = own.bodies.join('\n');
  expect(['of-a-secret', bucket, url.split('/').at(-1)!, listingId].filter((each) => sent.includes(each))).toEqual([]);
  await Promise.all([own.close(), s3.close(), stripe.close()]);
}, 120_000);

test('what was not sent yet when a process is told to stop is sent before it ends', async () => {
  const own = await startOtlp();
  const api = await startApi({ OTEL_EXPORTER_OTLP_ENDPOINT: own.url, OTEL_BSP_SCHEDULE_DELAY: '600000' });
  expect((await contact(api.url)).ok).toBe(true);
  expect(own.spans).toEqual([]);
  expect(await api.kill('SIGTERM')).toBe(0);
  expect(own.spans.map(({ name }) => name)).toContain('POST /api/conversations');
  await own.close();
}, 120_000);

test('the sampler decides what is sent, and a caller who samples goes before one that is parent-based', async () => {
  const own = await startOtlp();
  const api = await startApi({
    OTEL_EXPORTER_OTLP_ENDPOINT: own.url,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
    OTEL_SERVICE_NAME: 'harbour',
  });
  const unsampled = 'ab'.repeat(16);
  for (let n = 0; n < 10; n += 1) expect((await contact(api.url)).ok).toBe(true);
  const sampled = { traceparent: `00-${traceId}-${callerId}-01` };
  expect((await contact(api.url, sampled, await app.createUser())).status).toBe(201);
  const skipped = { traceparent: `00-${unsampled}-${callerId}-00` };
  expect((await contact(api.url, skipped, await app.createUser())).status).toBe(201);
  expect(await api.kill('SIGTERM')).toBe(0);
  expect(new Set(own.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(new Set(own.spans.map(({ service }) => service))).toEqual(new Set(['harbour']));
  // What comes of a request that is not sampled is not sampled either: its jobs know that.
  const { rows } = await app.database.pool.query<{ traceparent: string }>(
    `select data->'trace'->>'traceparent' as traceparent from pgboss.job
     where name = 'send-email' and data->'trace'->>'traceparent' like $1`,
    [`00-${unsampled}-%`],
  );
  expect(rows.map(({ traceparent }) => traceparent.slice(-2))).toEqual(['00']);
  await own.close();
}, 120_000);

test('a receiver that is down costs one warning, no answer and no time at the end; what waits for it is bounded', async () => {
  const port = await freePort();
  const api = await startApi({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:of-a-secret@127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_BSP_MAX_QUEUE_SIZE: '64',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '32',
  });
  const warnings = () => linesOf(api.output()).filter(({ msg }) => String(msg).startsWith('traces cannot be sent'));
  await eventually(async () => {
    expect((await fetch(`${api.url}/api/categories`)).status).toBe(200);
    return warnings().length > 0;
  });
  for (let n = 0; n < 150; n += 1) expect((await fetch(`${api.url}/api/categories`)).status).toBe(200);
  expect(warnings()).toHaveLength(1);
  expect(warnings()[0]).toMatchObject({ reason: 'ECONNREFUSED' });
  expect(api.output()).not.toContain('of-a-secret');

  const late = await startOtlp(undefined, port);
  await eventually(async () => {
    await fetch(`${api.url}/api/categories`);
    return linesOf(api.output()).some(({ msg }) => msg === 'traces can be sent again');
  });
  expect(late.spans.length).toBeLessThan(150);
  expect(await api.kill('SIGTERM')).toBe(0);
  await late.close();
}, 120_000);

test('a receiver that never answers holds up neither requests nor the end of a process', async () => {
  const silent = await startOtlp(() => {});
  const api = await startApi({ OTEL_EXPORTER_OTLP_ENDPOINT: silent.url, DEADLINE_FACTOR: '1' });
  await eventually(async () => {
    expect((await fetch(`${api.url}/api/categories`)).status).toBe(200);
    return silent.bodies.length > 0;
  });
  expect(await api.kill('SIGTERM')).toBe(0);
  expect(api.output()).not.toContain('stopping takes too long');
  await silent.close();
}, 120_000);
