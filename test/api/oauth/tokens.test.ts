import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../shared/kit/clock.ts';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { authorize, callOAuth, connectTestClient, createPkce, registerTestClient } from '../../support/oauth-client.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { movableClock } from '../rentals/fixture.ts';

const clock = movableClock();
let app: TestApp;
let user: TestUser;
let clientId: string;
beforeAll(async () => {
  app = await startApp({ clock });
  clientId = (await registerTestClient(app)).client_id;
});
afterAll(closeApps);
/** Sessions end with the time that tests let pass. */
const signIn = async () => (user = await app.createUser({ name: 'Ada' }));
beforeAll(signIn);

const status = async (token: string, where = app) => (await where.as(token).get('/api/me')).status;
const exchange = (fields: Record<string, unknown>) => callOAuth(app, 'token', fields);

describe('an authorization code', () => {
  test('is exchanged once; when it comes again, its tokens end', async () => {
    const { exchange: given } = await authorize(app, user, clientId);
    const first = await exchange(given);
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.body).toMatchObject({ token_type: 'Bearer', expires_in: 1_800 });
    expect(await status(first.body.access_token)).toBe(200);
    expect((await exchange(given)).body.error).toBe('invalid_grant');
    expect(await status(first.body.access_token)).toBe(401);
    const again = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token, client_id: clientId };
    expect((await exchange(again)).body.error).toBe('invalid_grant');
  });

  test('sent by many at once, to two processes, gives tokens to one at most', async () => {
    const { exchange: given } = await authorize(app, user, clientId);
    const twin = await app.twin();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => callOAuth(i % 2 === 0 ? app : twin, 'token', given)),
    );
    expect(answers.filter(({ status: each }) => each === 200)).toHaveLength(1);
    await twin.close();
  });

  test('is worth nothing without its verifier, for another client, with another address, or for another resource', async () => {
    const other = (await registerTestClient(app)).client_id;
    const wrong: [Record<string, string>, string][] = [
      [{ code_verifier: createPkce().verifier }, 'invalid_grant'],
      [{ client_id: other }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:9/callback' }, 'invalid_grant'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
      [{ resource: app.url }, 'invalid_target'],
      [{ code: 'occ_of-nobody' }, 'invalid_grant'],
      [{ client_id: 'oac_nobody' }, 'invalid_client'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ code_verifier: '' }, 'invalid_request'],
    ];
    for (const [fields, error] of wrong) {
      const { exchange: given } = await authorize(app, user, clientId);
      const refused = await exchange({ ...given, ...fields });
      expect(refused.body.error, JSON.stringify(fields)).toBe(error);
      expect(refused.status).toBe(error === 'invalid_client' ? 401 : 400);
    }
    const { exchange: given } = await authorize(app, user, clientId);
    const twice = await exchange([...Object.entries(given), ['code', given.code]] as never);
    expect(twice.body.error).toBe('invalid_request');
  });

  test('ends after five minutes, and with the sessions of its person', async () => {
    const late = await authorize(app, user, clientId);
    clock.move(5 * MINUTE_MS + 1);
    expect((await exchange(late.exchange)).body.error).toBe('invalid_grant');
    const person = await app.createUser();
    const { exchange: given } = await authorize(app, person, clientId);
    await app.as(person).post('/api/auth/logout-all');
    expect((await exchange(given)).body.error).toBe('invalid_grant');
  });

  test('takes the place of what the application was allowed before', async () => {
    const { clientId: id, tokens } = await connectTestClient(app, user);
    const { exchange: given } = await authorize(app, user, id, { scopes: [] });
    expect((await exchange(given)).body.scope).toBe('read');
    expect(await status(tokens.access_token)).toBe(401);
  });
});

describe('a refresh token', () => {
  test('is used once; when it comes again, everything that came of it ends', async () => {
    const { tokens, refresh } = await connectTestClient(app, user);
    const second = await refresh();
    expect(second.status).toBe(200);
    expect(await status(second.body.access_token)).toBe(200);
    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect(await status(second.body.access_token)).toBe(401);
    expect((await refresh(second.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('narrows the scopes of an access token, and never widens them', async () => {
    const { tokens, refresh } = await connectTestClient(app, user, ['messages', 'publish']);
    const narrow = await refresh(tokens.refresh_token, { scope: 'read messages' });
    expect(narrow.body.scope).toBe('read messages');
    const wide = await refresh(narrow.body.refresh_token, { scope: 'read listings:write' });
    expect(wide.body.error).toBe('invalid_scope');
    expect((await refresh(narrow.body.refresh_token)).body.scope).toBe('read messages publish');
  });

  test('of another client, or for another resource, is refused, and stays good for its own', async () => {
    const { tokens, refresh } = await connectTestClient(app, user);
    expect((await refresh(tokens.refresh_token, { client_id: clientId })).body.error).toBe('invalid_grant');
    expect((await refresh(tokens.refresh_token, { resource: app.url })).body.error).toBe('invalid_target');
    expect((await refresh(tokens.refresh_token, { resource: `${app.url}/mcp` })).status).toBe(200);
  });

  test('ends when the application does not come for 30 days', async () => {
    await signIn();
    const { refresh } = await connectTestClient(app, user);
    clock.move(30 * DAY_MS);
    await signIn();
    expect((await refresh()).body.error).toBe('invalid_grant');
  });
});

describe('an access token', () => {
  test('may do at the API what a key of its scopes may, and nothing that takes a session', async () => {
    const { tokens } = await connectTestClient(app, user, ['listings:write']);
    const agent = app.as(tokens.access_token);
    const { status: created, body } = await agent.post('/api/listings', listingBody());
    expect(created).toBe(201);
    const refused = await agent.post(`/api/listings/${body.id}/publish`);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="publish"');
    expect((await agent.post('/api/api-keys', { name: 'x' })).status).toBe(403);
    expect((await agent.get('/api/me/applications')).status).toBe(403);
    expect((await agent.get('/api/admin/health')).status).toBe(403);
  });

  test('ends after half an hour, and when it is revoked; its connection goes on', async () => {
    const { clientId: id, tokens, refresh } = await connectTestClient(app, user);
    await callOAuth(app, 'revoke', { token: tokens.access_token, client_id: clientId });
    expect(await status(tokens.access_token)).toBe(200);
    const gone = await callOAuth(app, 'revoke', { token: tokens.access_token, client_id: id });
    expect([gone.status, await status(tokens.access_token)]).toEqual([200, 401]);
    expect((await callOAuth(app, 'revoke', { token: 'unknown', client_id: id })).status).toBe(200);
    const { body } = await refresh();
    clock.move(30 * MINUTE_MS);
    expect(await status(body.access_token)).toBe(401);
  });

  test('is for one audience: a service of another address refuses it', async () => {
    await signIn();
    const { tokens } = await connectTestClient(app, user);
    const elsewhere = await startApp({ clock, database: app.database });
    expect(await status(tokens.access_token)).toBe(200);
    expect(await status(tokens.access_token, elsewhere)).toBe(401);
    const behindOneAddress = await startApp({ clock, database: app.database, env: { BASE_URL: app.url } });
    expect(await status(tokens.access_token, behindOneAddress)).toBe(200);
  });

  test('is no refresh token, nor the other way round, nor a code', async () => {
    const { tokens, refresh, exchange: given } = await connectTestClient(app, user);
    expect((await refresh(tokens.access_token)).body.error).toBe('invalid_grant');
    expect(await status(tokens.refresh_token)).toBe(401);
    expect(await status(given.code)).toBe(401);
  });

  test('ends with a new password, with signing out everywhere and keys, and with the account, and the answer names it', async () => {
    const person = await app.createUser();
    const { tokens } = await connectTestClient(app, person);
    const { body } = await app.as(person).post('/api/auth/logout-all', { keys: true });
    expect(body.disconnected_applications).toMatchObject([{ name: 'Boat agent' }]);
    expect(await status(tokens.access_token)).toBe(401);

    const other = await app.createUser();
    const kept = await connectTestClient(app, other);
    await app.as(other).post('/api/auth/logout-all');
    expect(await status(kept.tokens.access_token)).toBe(200);
    await app.database.pool.query('update users set disabled_at = now() where id = $1', [other.id]);
    expect(await status(kept.tokens.access_token)).toBe(401);
    expect((await kept.refresh()).body.error).toBe('invalid_grant');
  });
});

describe('a client with a secret', () => {
  test.each(['client_secret_basic', 'client_secret_post'])('has to give it (%s)', async (method) => {
    const client = await registerTestClient(app, { token_endpoint_auth_method: method });
    const { exchange: given } = await authorize(app, user, client.client_id);
    const { client_id: id, ...rest } = given;
    const basic = (secret: string) => ({
      headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    });
    const none = await exchange(given);
    expect([none.status, none.body.error]).toEqual([401, 'invalid_client']);
    expect(none.headers.get('www-authenticate')).toMatch(/^Basic/);
    expect((await callOAuth(app, 'token', rest, basic('ocs_wrong'))).status).toBe(401);
    expect((await exchange({ ...given, client_secret: 'ocs_wrong' })).status).toBe(401);
    const right =
      method === 'client_secret_post'
        ? await exchange({ ...given, client_secret: client.client_secret })
        : await callOAuth(app, 'token', rest, basic(client.client_secret));
    expect(right.status).toBe(200);
  });
});

test('nothing that opens an account is stored as it is', async () => {
  const client = await registerTestClient(app, { token_endpoint_auth_method: 'client_secret_post' });
  const { tokens, exchange: given } = await connectTestClient(app, user);
  for (const secret of [client.client_secret, tokens.access_token, tokens.refresh_token, given.code]) {
    for (const table of ['oauth_clients', 'oauth_codes', 'oauth_tokens', 'oauth_grants']) {
      const { rows } = await app.database.pool.query(
        `select count(*)::int as n from ${table} t where t::text like $1`,
        [`%${secret.slice(4)}%`],
      );
      expect(rows[0].n).toBe(0);
    }
  }
});
