import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

const MAX_SLICE_TOKENS = 12_000;
const tokensOf = (text: string) => Math.ceil(text.length / 4);

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** The OpenAPI documents that the API catalog names as slices. */
async function readSlices() {
  const { body } = await app.as().get('/.well-known/api-catalog');
  const addresses: string[] = body.linkset[1]['service-desc'].map(({ href }: { href: string }) => href);
  const paths = addresses.filter((href) => href.includes('/api/openapi/')).map((href) => new URL(href).pathname);
  return Promise.all(paths.map(async (path) => ({ path, ...(await app.as().get(path)) })));
}

test('the slices hold every operation once, each stands alone and has less than 12,000 tokens', async () => {
  const slices = await readSlices();
  const held = slices.flatMap(({ path, text, body }) => {
    expect(tokensOf(text), path).toBeLessThan(MAX_SLICE_TOKENS);
    expect(body, path).toMatchObject({ openapi: '3.1.0', servers: [{ url: app.url }] });
    for (const [, kind = '', name = ''] of text.matchAll(/#\/components\/(\w+)\/([\w-]+)"/g))
      expect(body.components[kind], `${path} ${name}`).toHaveProperty([name]);
    return Object.values<Record<string, { operationId: string }>>(body.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
  });
  const { operations } = app.services.contract;
  expect(held.toSorted()).toEqual(operations.map(({ id }) => String(id)).toSorted());
  for (const { tag } of operations) expect(slices.map(({ path }) => path)).toContain(`/api/openapi/${tag}.json`);
});

test('the slice that is named like a tag begins with its collections, and names the others', async () => {
  const { body } = await app.as().get('/api/openapi/listings.json');
  expect(body.paths['/api/listings'].get.operationId).toBe('searchListings');
  expect(body.info.description).toContain('/api/openapi/listings-2.json');
});

test('each slice is a valid OpenAPI document', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slices-'));
  try {
    const files = (await readSlices()).map(({ path, text }) => {
      const file = join(folder, basename(path));
      writeFileSync(file, text);
      return file;
    });
    const redocly = fileURLToPath(new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [redocly, 'lint', '--extends', 'spec', ...files], {
      encoding: 'utf8',
      cwd: folder,
      env: { PATH: '', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    expect(status, stderr).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every operation has a page that is in the index, below 4,000 tokens, and without a link that leads nowhere', async () => {
  const { text: index } = await app.as().get('/api/reference.md');
  const { operations } = app.services.contract;
  const ids = new Set<string>(operations.map(({ id }) => id));
  for (const { id, method, path } of operations) {
    expect(index).toContain(`- [${id}](reference/${id}.md) \`${method.toUpperCase()} ${path}\`: `);
    const page = await app.as().get(`/api/reference/${id}.md`);
    expect(page.status, id).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/markdown');
    expect(page.text).toMatch(new RegExp(`^# ${id}\n`));
    for (const heading of ['## Answers', '## Errors', '## Try it']) expect(page.text, id).toContain(heading);
    expect(tokensOf(page.text), id).toBeLessThan(4_000);
    expect(page.text, id).not.toContain('](#');
    expect(page.text, id).not.toContain('http://localhost:3000');
    for (const [, named = ''] of page.text.matchAll(/\/api\/reference\/(\w+)\.md/g)) expect(ids, id).toContain(named);
  }
});

test('a page says scope, body, an example of an answer, errors and a curl line that works', async () => {
  const { text } = await app.as().get('/api/reference/createListing.md');
  expect(text).toContain('an API key with the scope `listings:write`');
  expect(text).toContain('| title | string | yes | at least 5 characters; at most 120 characters');
  expect(text).toContain('- 409: You have this listing already (`duplicate_listing`)');
  expect(text).toContain(`curl -X POST '${app.url}/api/listings' -H "Authorization: Bearer $TOKEN"`);
  const example = /-d '(.*)'\n```/.exec(text)?.[1]?.replaceAll(String.raw`'\''`, "'");
  const user = await app.createUser();
  const created = await app.as(user).post('/api/listings', JSON.parse(example!));
  expect(created.status).toBe(201);
});

test('404 for a slice or an operation that does not exist', async () => {
  expect((await app.as().get('/api/openapi/no-such-tag.json')).status).toBe(404);
  expect((await app.as().get('/api/reference/noSuchOperation.md')).status).toBe(404);
});

test('the map is below 2,000 tokens and every address in it answers, but those with a placeholder', async () => {
  const { text, headers } = await app.as().get('/llms.txt');
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(tokensOf(text)).toBeLessThan(2_000);
  expect(text).toMatch(/^# .+\n\n> .+\n/);
  for (const [, address = ''] of text.matchAll(/\]\(([^()]+)\)/g))
    expect((await app.as().get(new URL(address).pathname)).status, address).toBe(200);
  const full = (await app.as().get('/llms-full.txt')).text;
  expect(full).toContain(text.trim());
  expect(full).toContain('## Rate limits');
  expect(full).toContain('# sendMessage');
});

test('the API catalog is a linkset of RFC 9727 whose descriptions and documents answer', async () => {
  const { body, headers } = await app.as().get('/.well-known/api-catalog');
  expect(headers.get('content-type')).toBe(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  );
  expect(headers.get('link')).toBe(`<${app.url}/.well-known/api-catalog>; rel="api-catalog"`);
  const [catalog, api] = body.linkset;
  expect(catalog.item).toContainEqual({ href: `${app.url}/api` });
  const entry = await fetch(`${app.url}/api`, { redirect: 'manual' });
  expect([entry.status, entry.headers.get('location')]).toEqual([302, `${app.url}/api/docs`]);
  expect(entry.headers.get('link')).toBe(`<${app.url}/api/openapi.json>; rel="service-desc"`);
  for (const relation of ['service-doc', 'service-meta', 'status']) {
    for (const { href } of api[relation]) expect((await app.as().get(new URL(href).pathname)).status, href).toBe(200);
  }
});

test('the agent card names MCP first, what it is good for, and how to authenticate', async () => {
  const { body } = await app.as().get('/.well-known/agent-card.json');
  expect(body.supportedInterfaces[0]).toMatchObject({ url: `${app.url}/mcp`, protocolBinding: 'MCP' });
  expect(body.skills.map(({ id }: { id: string }) => id)).toEqual(['find', 'sell', 'messages', 'rent']);
  expect(body.securitySchemes.bearer.httpAuthSecurityScheme.scheme).toBe('Bearer');
});

test('ai.json and robots.txt lead to the maps, and a map is not sent again while it is the same', async () => {
  const { schema } = (await app.as().get('/.well-known/ai.json')).body.api;
  for (const name of ['llms', 'llms_full', 'reference', 'api_catalog', 'agent_card'])
    expect((await app.as().get(new URL(schema[name]).pathname)).status, name).toBe(200);
  expect((await app.as().get('/robots.txt')).text).toContain(`LLMs: ${app.url}/llms.txt`);
  for (const path of ['/llms.txt', '/api/openapi/uploads.json', '/api/reference/suggest.md']) {
    const etag = (await app.as().get(path)).headers.get('etag')!;
    expect((await fetch(`${app.url}${path}`, { headers: { 'If-None-Match': etag } })).status, path).toBe(304);
  }
});
