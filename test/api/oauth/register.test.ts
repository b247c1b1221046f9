import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../shared/kit/clock.ts';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import {
  authorizePath,
  callOAuth,
  CALLBACK,
  connectTestClient,
  createPkce,
  registerTestClient,
} from '../../support/oauth-client.ts';
import { visitPages } from '../../support/page-visitor.ts';
import { startWorkers } from '../../support/workers.ts';
import { purgeOldRows } from '../../../workers/purge-old-rows.ts';
import { movableClock } from '../rentals/fixture.ts';

const clock = movableClock();
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ clock });
});
afterAll(closeApps);

const register = (body: unknown, of = app) =>
  callOAuth(of, 'register', body as Record<string, unknown>, { json: true });

describe('registering a client', () => {
  test('answers its id and what it may do, and a secret only to one that asks for it', async () => {
    const { status, body, headers } = await register({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({
      client_id: expect.stringMatching(/^oac_/),
      client_id_issued_at: Math.floor(clock.now().getTime() / 1_000),
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });
    expect(body).not.toHaveProperty('client_secret');
    const confidential = await register({ redirect_uris: ['https://agent.example/callback'] });
    expect(confidential.body).toMatchObject({
      token_endpoint_auth_method: 'client_secret_basic',
      client_secret: expect.stringMatching(/^ocs_/),
      client_secret_expires_at: 0,
    });
  });

  test('takes https, loopback and schemes of applications, and refuses any other address', async () => {
    const good = [
      'https://agent.example/callback?x=1',
      'http://localhost/cb',
      'http://[::1]:80/cb',
      'cursor://anysphere.cursor/callback',
      'com.example.app:/oauth',
    ];
    for (const uri of good) expect((await register({ redirect_uris: [uri] })).status, uri).toBe(201);
    const bad = [
      'http://agent.example/callback',
      'http://127.0.0.1.evil.example/',
      'http://localhost@evil.example/',
      'https://user:pass@agent.example/',
      'https://agent.example/#x',
      'https://agent.example/\r\nX: y',
      String.raw`https:\\evil.example`,
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '/callback',
      '',
      `https://agent.example/${'x'.repeat(600)}`,
    ];
    for (const uri of bad) {
      const { status, body } = await register({ redirect_uris: [CALLBACK, uri] });
      expect([status, body.error], uri).toEqual([400, 'invalid_redirect_uri']);
    }
  });

  test('is refused in the terms of RFC 7591 for anything else that is wrong, and never a fault of ours', async () => {
    const wrong: [unknown, string][] = [
      [{}, 'invalid_redirect_uri'],
      [[], 'invalid_client_metadata'],
      [{ redirect_uris: [] }, 'invalid_redirect_uri'],
      [{ redirect_uris: Array.from({ length: 11 }, () => CALLBACK) }, 'invalid_redirect_uri'],
      [{ redirect_uris: [CALLBACK], grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
      [{ redirect_uris: [CALLBACK], response_types: ['token'] }, 'invalid_client_metadata'],
      [{ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
      [{ redirect_uris: [CALLBACK], client_name: 5 }, 'invalid_client_metadata'],
    ];
    for (const [body, error] of wrong) expect((await register(body)).body.error, JSON.stringify(body)).toBe(error);
    for (const [raw, type, status] of [
      ['{', 'application/json', 400],
      ['5', 'application/json', 400],
      ['x'.repeat(40_000), 'application/json', 413],
      ['a=b', 'text/plain', 400],
      ['{}', 'application/json; charset=latin-9', 415],
    ] as const) {
      const answer = await fetch(`${app.url}/oauth/register`, {
        method: 'POST',
        headers: { 'Content-Type': type },
        body: raw,
      });
      expect(answer.status, raw.slice(0, 10)).toBe(status);
      expect(await answer.json()).toHaveProperty('error_description');
    }
    const get = await fetch(`${app.url}/oauth/register`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  test('is limited by address', async () => {
    const limited = await startApp({ env: { RATE_LIMIT_MULTIPLIER: '1' } });
    const answers = [];
    for (let i = 0; i < 11; i += 1) answers.push(await register({ redirect_uris: [CALLBACK] }, limited));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const { status, body, headers } = answers.at(-1)!;
    expect([status, body.error]).toEqual([429, 'too_many_requests']);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  });
});

test('a client that nobody connects is forgotten after seven days; one that is connected, and its grants, when their time is over', async () => {
  const workers = await startWorkers(app);
  const { signal } = new AbortController();
  const context = { signal, log: workers.services.log, jobId: 'purge', attempt: 0 };
  const { challenge } = createPkce();
  const unused = (await registerTestClient(app)).client_id;
  const { clientId: used } = await connectTestClient(app, await app.createUser());
  const known = async (id: string) =>
    (await visitPages(app, await app.createUser()).open(authorizePath(id, challenge))).status === 200;
  const rows = async (table: string, column: string, id: string) =>
    Number((await app.database.pool.query(`select count(*) from ${table} where ${column} = $1`, [id])).rows[0].count);
  expect([await known(unused), await known(used)]).toEqual([true, true]);
  clock.move(8 * DAY_MS + 1);
  await purgeOldRows(workers.services, {}, context);
  expect([await known(unused), await known(used)]).toEqual([false, true]);
  expect(await rows('oauth_clients', 'id', unused)).toBe(0);
  expect(await rows('oauth_grants', 'client_id', used)).toBe(1);
  clock.move(30 * DAY_MS);
  await purgeOldRows(workers.services, {}, context);
  expect(await rows('oauth_grants', 'client_id', used)).toBe(0);
  expect(await known(used)).toBe(true);
  clock.move(60 * DAY_MS);
  await purgeOldRows(workers.services, {}, context);
  expect(await known(used)).toBe(false);
  await workers.close();
});
