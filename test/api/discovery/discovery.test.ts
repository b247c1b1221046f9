import { parse } from 'yaml';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

const METRICS_TOKEN = 'a metrics token of the tests'.replaceAll(' ', '-');
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { METRICS_TOKEN, PROXY_BASE_URL: 'https://proxy.example/boats' } });
});
afterAll(async () => {
  await app.close();
});

test('health answers 200 with version and uptime, and 503 while the process drains', async () => {
  expect((await app.as().get('/health')).body).toMatchObject({ status: 'healthy', version: '1.0.0' });
  expect((await app.as().get('/health/db')).body).toMatchObject({ status: 'healthy', migrations: { pending: 0 } });
  app.services.ready = false;
  const draining = await app.as().get('/health');
  expect(draining.status).toBe(503);
  expect(draining.headers.get('connection')).toBe('close');
  app.services.ready = true;
});

test('the contract is served as JSON and YAML, the same', async () => {
  const json = await app.as().get('/api/openapi.json');
  const yaml = await app.as().get('/api/openapi.yaml');
  expect(json.body).toMatchObject({ openapi: '3.1.0', servers: [{ url: app.url }] });
  expect(parse(yaml.text)).toEqual(json.body);
});

test('the contract is served without what only the service and its developers read', async () => {
  const { text, body } = await app.as().get('/api/openapi.json');
  const fields = [...text.matchAll(/"(x-[\w-]+)":/g)].map(([, name]) => name);
  expect(new Set(fields)).toEqual(
    new Set(['x-rate-limit', 'x-role', 'x-schema-with-fields', 'x-deprecated-since', 'x-sunset', 'x-replaced-by']),
  );
  expect((await app.as().get('/api/openapi.yaml')).text).not.toMatch(/^\s*#/);
  // A record is described to clients, although the service checks it by hand.
  expect(body.components.schemas.IngestRequest.properties.records.items.$ref).toBe('#/components/schemas/IngestRecord');
});

test('what the contract tells to try can be tried: at the address of this service, as it stands', async () => {
  const { text, body } = await app.as().get('/api/openapi.json');
  expect(text).not.toContain('http://localhost:3000');
  const told: string = body.info.description;
  const commands = [...told.matchAll(/curl (-g )?'([^']+)'/g)];
  expect(commands.length).toBeGreaterThan(1);
  for (const [command, takesBrackets, address = ''] of commands) {
    // curl reads brackets as ranges unless it is told not to.
    if (/[[\]{}]/.test(address)) expect(takesBrackets, command).toBeTruthy();
    expect((await fetch(address)).status, command).toBe(200);
  }
});

test('the docs page and all it loads come from here', async () => {
  const page = await app.as().get('/api/docs');
  expect(page.status).toBe(200);
  const assets = [...page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map((match) => match[1]);
  expect(assets.length).toBeGreaterThan(3);
  for (const asset of assets) expect((await fetch(`${app.url}/api/${asset}`)).status).toBe(200);
  expect(page.text).not.toMatch(/https?:\/\//);
});

test('the discovery document names addresses that answer', async () => {
  const { body } = await app.as().get('/.well-known/ai.json');
  expect(body.api).toMatchObject({
    version: 'v1',
    base_url: `${app.url}/api`,
    formats: ['json', 'markdown'],
    auth: { header: 'Authorization', prefix: 'Bearer' },
  });
  const reader = await app.createUser();
  for (const [name, address] of Object.entries<string>(body.api.endpoints)) {
    const [method = '', url = ''] = address.split(' ');
    if (method !== 'GET' || url.includes('{')) continue;
    expect((await app.as(reader).get(new URL(url).pathname)).status, name).toBe(200);
  }
  expect(body.api.endpoints.suggest).toBe(`GET ${app.url}/api/search/suggest?q={q}`);
  expect((await app.as().get('/robots.txt')).text).toContain(`AI-Discovery: ${app.url}/.well-known/ai.json`);
});

test('the discovery document and llms.txt tell how a client of the Model Context Protocol is configured', async () => {
  const { body } = await app.as().get('/.well-known/ai.json');
  const { url, config } = body.api.mcp;
  expect(url).toBe(`${app.url}/mcp`);
  expect(config.mcpServers.quayside).toMatchObject({
    type: 'http',
    url,
    headers: { Authorization: 'Bearer <API key>' },
  });
  expect((await app.as().get('/llms.txt')).text).toContain(JSON.stringify(config));
  const proxied = await app.as().get('/boats/.well-known/ai.json');
  expect(proxied.body.api.mcp.url).toBe('https://proxy.example/boats/mcp');
});

test('what is kept for readers without a credential is served to them alone, and told to be checked', async () => {
  const user = await app.createUser();
  for (const path of ['/.well-known/ai.json', '/robots.txt', '/api/asset-types']) {
    const replies = [await app.as().get(path), await app.as().get(path), await app.as(user).get(path)];
    expect(replies.map(({ headers }) => headers.get('x-cache')).slice(1)).toEqual(['HIT', null]);
    expect(replies[1]!.headers.get('cache-control')).toBe('no-cache');
  }
});

test('a request that came through the proxy prefix gets links of that way', async () => {
  const { body } = await app.as().get('/boats/.well-known/ai.json');
  expect(body.api.base_url).toBe('https://proxy.example/boats/api');
});

test('the listing schema is a valid draft 2020-12 schema that stands alone', async () => {
  const { body } = await app.as().get('/api/schema/listing');
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(body);
  expect(validate({ id: 'no listing' })).toBe(false);
  expect(body).not.toHaveProperty('allOf');
  expect(body.required).toEqual(expect.arrayContaining(['id', 'title', 'price', 'seller', 'status', 'tags', 'meta']));
  expect(body.properties).toMatchObject({ title: { maxLength: 120 }, long_description: {}, meta: {} });
  expect((await app.as().get('/api/schema/listing.md')).text).toContain(
    '| title | string | yes | at least 5 characters; at most 120 characters',
  );
  expect((await app.as().get('/api/schema')).body.schemas.length).toBeGreaterThanOrEqual(2);
});

test('metrics open for an admin session and for METRICS_TOKEN, and for nobody else', async () => {
  const [admin, user] = [await app.createUser({ role: 'admin' }), await app.createUser()];
  expect((await app.as().get('/metrics')).status).toBe(401);
  expect((await app.as(user).get('/metrics')).status).toBe(403);
  expect((await app.as(admin).get('/metrics')).status).toBe(200);
  const { status, text } = await app.as(METRICS_TOKEN).get('/metrics');
  expect(status).toBe(200);
  expect(text).toContain('quayside_http_requests_total{');
  expect(text).toContain('quayside_job_queue_depth{');
  expect((await app.as(METRICS_TOKEN).get('/api/me')).status).toBe(401);
});

test('what the database tells of the queues is asked by a scrape alone, and counted once however many processes there are', async () => {
  const asked = vi.spyOn(app.services.pool, 'query');
  const twin = await app.twin();
  await twin.close();
  const { rows } = await app.database.pool.query<{ names: string[] }>(
    `select array_agg(metric->>'name') as names from process_metrics, jsonb_array_elements(metrics) as metric`,
  );
  expect(rows[0]!.names).toContain('quayside_http_requests_total');
  expect(rows[0]!.names).not.toContain('quayside_job_queue_depth');
  const namesAsked = () => asked.mock.calls.map(([query]) => (query as { name?: string }).name);
  expect(namesAsked()).not.toContain('queue-depths');
  await app.database.pool.query(
    `insert into pgboss.job (name, data, start_after) values ('expire-listings', '{}', now() + interval '1 day')`,
  );
  const { text } = await app.as(METRICS_TOKEN).get('/metrics');
  const depths = text
    .split('\n')
    .filter((line) => line.startsWith('quayside_job_queue_depth{') && line.includes('"expire-listings"'));
  expect(depths.filter((line) => line.includes('"queued"'))).toEqual([expect.stringMatching(/ 1$/)]);
  expect(namesAsked()).toContain('queue-depths');
  asked.mockRestore();
});
