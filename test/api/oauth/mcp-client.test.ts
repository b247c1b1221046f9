import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { connectMcp } from '../../support/mcp-client.ts';
import { callOAuth, connectTestClient, createOAuthProvider, decide } from '../../support/oauth-client.ts';
import { visitPages } from '../../support/page-visitor.ts';
import { MINUTE_MS } from '../../../shared/kit/clock.ts';
import { movableClock } from '../rentals/fixture.ts';

let app: TestApp;
let user: TestUser;
const clock = movableClock();
beforeAll(async () => {
  app = await startApp({ clock });
  user = await app.createUser({ name: 'Ada' });
});
afterAll(closeApps);

/** A client of the official SDK at the address where signing in is required. */
function sdkClient(provider: ReturnType<typeof createOAuthProvider>['provider']) {
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${app.url}/mcp?auth=required`), { authProvider: provider });
  return {
    async connect() {
      const client = new Client({ name: 'sdk', version: '1.0.0' });
      await client.connect(transport());
      return client;
    },
    finish: (callback: URL) => transport().finishAuth(callback.searchParams),
  };
}

async function approve(address: URL, scopes?: readonly string[]): Promise<URL> {
  const visitor = visitPages(app, user);
  const page = await visitor.open(address.pathname + address.search);
  expect(page.status, page.text).toBe(200);
  const { to } = await decide(visitor, 'allow', scopes);
  return to!;
}

describe('a client of the official SDK', () => {
  const { provider, opened, tokens } = createOAuthProvider();
  const sdk = sdkClient(provider);

  test('is led from a 401 through metadata and registration to the page that asks its person', async () => {
    await expect(sdk.connect()).rejects.toThrow(UnauthorizedError);
    const [address] = opened;
    expect(address?.origin).toBe(app.url);
    expect(Object.fromEntries(address!.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: `${app.url}/mcp`,
    });
    const answer = await approve(address!, ['listings:write']);
    expect(answer.searchParams.get('iss')).toBe(app.url);
    await sdk.finish(answer);
    expect(tokens()).toMatchObject({ token_type: 'Bearer', expires_in: 1_800, scope: 'read listings:write' });
  });

  test('calls tools within its scopes, and is sent back to its person by one outside of them', async () => {
    const client = await sdk.connect();
    const own = await client.callTool({ name: 'list_my_listings', arguments: {} });
    expect(own.isError ?? false).toBe(false);
    const before = opened.length;
    await expect(
      client.callTool({ name: 'send_message', arguments: { conversation_id: 'cnv_1', text: 'Hello' } }),
    ).rejects.toThrow(UnauthorizedError);
    expect(opened.length).toBe(before + 1);
    const asked = opened.at(-1)!.searchParams.get('scope')!.split(' ');
    expect(asked).toEqual(expect.arrayContaining(['read', 'listings:write', 'messages']));
    const answer = await approve(opened.at(-1)!);
    await sdk.finish(answer);
    expect(tokens()?.scope).toBe('read listings:write messages');
  });

  test('refreshes its access token when that has ended, without its person', async () => {
    const before = { ...tokens() };
    clock.move(31 * MINUTE_MS);
    const client = await sdk.connect();
    expect((await client.callTool({ name: 'list_favorites', arguments: {} })).isError ?? false).toBe(false);
    expect(tokens()?.access_token).not.toBe(before.access_token);
    expect(tokens()?.refresh_token).not.toBe(before.refresh_token);
  });

  test('has to ask again once its person has disconnected it', async () => {
    const { body } = await app.as(user).get('/api/me/applications');
    expect(body.applications).toMatchObject([{ name: 'SDK client', scopes: ['read', 'listings:write', 'messages'] }]);
    await app.as(user).delete(`/api/me/applications/${body.applications[0].id}`);
    const before = opened.length;
    await expect(sdk.connect()).rejects.toThrow(UnauthorizedError);
    expect(opened.length).toBe(before + 1);
  });
});

describe('401 and 403 of /mcp', () => {
  const post = (
    headers: Record<string, string>,
    body: object = { jsonrpc: '2.0', id: 1, method: 'ping' },
    path = '/mcp',
  ) =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    });
  const metadata = () => `resource_metadata="${app.url}/.well-known/oauth-protected-resource/mcp"`;

  test('name the metadata, and what is wrong with a token', async () => {
    const bad = await post({ Authorization: 'Bearer oat_of-nobody' });
    expect(bad.status).toBe(401);
    expect(bad.headers.get('www-authenticate')).toBe(`Bearer error="invalid_token", ${metadata()}`);
    const none = await post({}, undefined, '/mcp?auth=required');
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toBe(`Bearer ${metadata()}`);
    expect((await post({})).status).toBe(200);
  });

  test('name the scopes that a tool needs beside those that the token has', async () => {
    const { tokens } = await connectTestClient(app, user, []);
    const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'publish_listing', arguments: {} } };
    const refused = await post({ Authorization: `Bearer ${tokens.access_token}` }, call);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="read publish", ${metadata()}`,
    );
    expect(await refused.json()).toMatchObject({ id: 7, error: { message: expect.stringContaining('publish') } });
  });

  test('the token of a moderator moderates, and does nothing else of the administration, by no door', async () => {
    const moderator = await app.createUser({ role: 'moderator' });
    const { tokens } = await connectTestClient(app, moderator, ['admin'], 'read admin');
    const { client, call } = await connectMcp(app, tokens.access_token);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['review_next', 'decide', 'list_duplicates', 'merge_duplicates']));
    for (const name of ['run_scraper', 'run_status', 'queue_health']) {
      expect(names).not.toContain(name);
      expect((await call(name, { id: 'scr_1', confirm: true })).text).toMatch(/^forbidden: .*administrators/);
    }
    expect((await call('review_next')).data.waiting).toBe(0);
    const as = app.as(tokens.access_token);
    expect((await as.post('/api/rewriting/migrate', { limit: 1 })).status).toBe(403);
    for (const { id: operation, path, method, leastRole } of app.services.contract.operations) {
      if (leastRole !== 'admin' || path.includes('{') || method !== 'get') continue;
      expect((await as.get(path)).status, operation).toBe(403);
    }
    await app.database.pool.query(`update users set role = 'user' where id = $1`, [moderator.id]);
    expect((await call('review_next')).text).toMatch(/^forbidden: .*moderators/);
  });

  test('a tool of an account says to whom nobody has signed in how to, in words and for clients', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_favorites', arguments: {} } };
    const text = await (await post({}, call)).text();
    const { result } = JSON.parse(text.replace(/^[\s\S]*?data: /, ''));
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain(`${app.url}/mcp?auth=required`);
    expect(result._meta['mcp/www_authenticate'][0]).toContain(metadata());
  });

  test('a token that its client revokes, or whose refresh token it revokes, is refused from then on', async () => {
    const { tokens, clientId, refresh } = await connectTestClient(app, user);
    const status = async () => (await post({ Authorization: `Bearer ${tokens.access_token}` })).status;
    expect(await status()).toBe(200);
    expect((await callOAuth(app, 'revoke', { token: tokens.refresh_token, client_id: clientId })).status).toBe(200);
    expect(await status()).toBe(401);
    expect((await refresh()).body.error).toBe('invalid_grant');
  });
});
