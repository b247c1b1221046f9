import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKeySecret } from '../../../shared/accounts/api-key.ts';
import { wordsIn } from '../../../api/pages/words/words.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import {
  authorize,
  authorizePath,
  CALLBACK,
  callOAuth,
  connectTestClient,
  createPkce,
  decide,
  registerTestClient,
} from '../../support/oauth-client.ts';
import { createPerson, password } from '../../support/openapi-cases-things.ts';
import { visitPages } from '../../support/page-visitor.ts';
import { codeOf } from '../../support/recipes/sign-in.ts';

const nautical = profileOf('nautical');

let app: TestApp;
let user: TestUser;
let admin: TestUser;
let moderator: TestUser;
let clientId: string;
const { challenge } = createPkce();
beforeAll(async () => {
  app = await startApp();
  user = await app.createUser({ name: 'Ada' });
  admin = await app.createUser({ role: 'admin' });
  moderator = await app.createUser({ role: 'moderator' });
  clientId = (await registerTestClient(app)).client_id;
});
afterAll(closeApps);

const codes = async () => Number((await app.database.pool.query('select count(*) from oauth_codes')).rows[0].count);

describe('the consent page', () => {
  test('is behind the page to sign in, which leads back to it', async () => {
    const stranger = visitPages(app);
    const path = authorizePath(clientId, challenge);
    const account = { email: 'eva@example.com', password: 'five gulls over Kiel' };
    expect((await app.as().post('/api/auth/register', account)).status).toBe(201);
    expect(new URL((await stranger.open(path)).path, app.url).pathname).toBe('/sign-in');
    const consent = await stranger.send('form[action="/sign-in"]', account);
    expect(consent.path).toBe(path);
    expect(consent.$('h1').text()).toBe('Connect Boat agent?');
  });

  test('names the application, where the answer goes and each scope in words, in every language', async () => {
    for (const locale of nautical.locales) {
      const page = await visitPages(app, user).open(`${authorizePath(clientId, challenge)}&lang=${locale}`);
      expect(page.status).toBe(200);
      const text = page.$('main').text();
      for (const name of ['Boat agent', '127.0.0.1:3334', user.email]) expect(text, locale).toContain(name);
      const { scopes } = wordsIn(locale).connect;
      for (const scope of ['read', 'listings:write', 'messages', 'publish'] as const)
        expect(text, locale).toContain(scopes[scope]);
      expect(text).not.toContain(scopes.admin);
    }
  });

  test('shows a name as text, on one line, whatever it holds', async () => {
    const name = `<b>Bank</b>\u202e\nof {email}${'x'.repeat(200)}`;
    const client = await registerTestClient(app, { client_name: name });
    expect([...client.client_name].length).toBeLessThanOrEqual(100);
    const page = await visitPages(app, user).open(authorizePath(client.client_id, challenge));
    expect(page.$('h1').text()).toMatch(/^Connect <b>Bank<\/b> of \{email\}x+\?$/);
    expect(page.$('h1 b').length).toBe(0);
  });

  test('cannot be framed, and its form leads to this site and the application alone', async () => {
    const page = await visitPages(app, user).open(authorizePath(clientId, challenge));
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:3334;");
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  test('gives the scopes that were ticked, and never fewer than reading', async () => {
    const { exchange } = await authorize(app, user, clientId, { scopes: ['messages'] });
    expect((await callOAuth(app, 'token', exchange)).body.scope).toBe('read messages');
    const none = await authorize(app, user, clientId, { scopes: [] });
    expect((await callOAuth(app, 'token', none.exchange)).body.scope).toBe('read');
    const more = await authorize(app, user, clientId, { scopes: ['publish'], scope: 'read messages' });
    expect((await callOAuth(app, 'token', more.exchange)).body.scope).toBe('read');
  });

  test('offers the scope admin to moderators and administrators alone, who have to tick it', async () => {
    const path = authorizePath(clientId, challenge, { scope: 'read admin' });
    expect((await visitPages(app, user).open(path)).$('input[value="admin"]').length).toBe(0);
    const smuggled = await authorize(app, user, clientId, { scope: 'read admin', scopes: ['admin'] });
    expect((await callOAuth(app, 'token', smuggled.exchange)).body.scope).toBe('read');
    const { scopes, moderate } = wordsIn('en').connect;
    for (const [who, label] of [
      [moderator, moderate],
      [admin, scopes.admin],
    ] as const) {
      const box = (await visitPages(app, who).open(path)).$('input[value="admin"]');
      expect([box.attr('checked'), box.parent().text().trim()]).toEqual([undefined, label]);
      const ticked = await authorize(app, who, clientId, { scope: 'read admin', scopes: ['admin'] });
      const { body } = await callOAuth(app, 'token', ticked.exchange);
      expect(body.scope).toBe('read listings:write messages publish admin');
    }
  });

  test('asks nobody for a consent whose role needs a second factor that the session has not shown', async () => {
    const strict = await startApp({ database: app.database, env: { REQUIRE_SECOND_FACTOR: 'true' } });
    const visitor = visitPages(strict, moderator);
    const before = await codes();
    expect((await visitor.open(authorizePath(clientId, challenge))).path).toBe('/my/account');
    const csrf = visitor.page().$('input[name="_csrf"]').attr('value')!;
    const posted = await fetch(strict.url + authorizePath(clientId, challenge), {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: visitor.cookie(), Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ _csrf: csrf, decision: 'allow', scopes: 'read' }).toString(),
    });
    expect(new URL(posted.headers.get('location')!, strict.url).pathname).toBe('/my/account');
    expect(await codes()).toBe(before);
    expect((await visitPages(strict, user).open(authorizePath(clientId, challenge))).status).toBe(200);
  });

  test('is reached by an account with a second factor only by its code, and then at once', async () => {
    const person = await createPerson(app.services, 'user');
    const { body } = await app.as(person.token).post('/api/me/totp');
    const now = app.services.clock.now();
    await app.as(person.token).post('/api/me/totp/confirm', { code: codeOf(body.secret, now) });
    const visitor = visitPages(app);
    const path = authorizePath(clientId, challenge);
    await visitor.open(path);
    const asked = await visitor.send('form[action="/sign-in"]', { email: person.email, password });
    expect(asked.$('input[name="totp"]').length).toBe(1);
    expect(asked.$('h1').text()).not.toBe('Connect Boat agent?');
    const given = { password, totp: codeOf(body.secret, now, 1) };
    const consent = await visitor.send('form:has(input[name="totp"])', given);
    expect([consent.path, consent.$('h1').text()]).toEqual([path, 'Connect Boat agent?']);
  });

  test('tells the application when its person refuses, with its state and who answers', async () => {
    const visitor = visitPages(app, user);
    await visitor.open(authorizePath(clientId, challenge));
    const { to } = await decide(visitor, 'deny');
    expect(to?.origin + to!.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(to!.searchParams)).toMatchObject({ error: 'access_denied', state: 'xyz', iss: app.url });
    expect(to?.searchParams.has('code')).toBe(false);
  });
});

describe('a link to the consent page', () => {
  test('leads nowhere when the client is unknown or the address is not its own', async () => {
    const foreign = [
      authorizePath('oac_01K6Q91T6C8D2E4F6G8H0J2K4M', challenge),
      authorizePath(clientId, challenge, { client_id: undefined }),
      ...[
        'https://evil.example/callback',
        `${CALLBACK}/`,
        `${CALLBACK}?x=1`,
        `${CALLBACK}#x`,
        'http://127.0.0.1:3334@evil.example/callback',
        'http://127.0.0.1.evil.example/callback',
        'http://localhost:3334/callback',
        'https://127.0.0.1:3334/callback',
        'javascript:alert(1)',
        undefined,
      ].map((uri) => authorizePath(clientId, challenge, { redirect_uri: uri })),
    ];
    for (const path of foreign) {
      const visitor = visitPages(app, user);
      const page = await visitor.open(path);
      expect(page.status, path).toBe(400);
      expect(page.headers.get('location'), path).toBeNull();
      expect(page.$('main form').length, path).toBe(0);
      const csrf = (await visitor.open('/my/account')).$('input[name="_csrf"]').attr('value')!;
      const posted = await fetch(app.url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { Cookie: visitor.cookie(), Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ _csrf: csrf, decision: 'allow', scopes: 'read' }).toString(),
      });
      expect(posted.status, path).toBe(400);
      expect(posted.headers.get('location')).toBeNull();
    }
  });

  test('may name another port of a loopback address that is registered', async () => {
    const redirect_uri = 'http://127.0.0.1:51234/callback';
    const { to, exchange } = await authorize(app, user, clientId, { redirect_uri });
    expect(to?.host).toBe('127.0.0.1:51234');
    expect((await callOAuth(app, 'token', exchange)).status).toBe(200);
  });

  test('that asks wrongly redirects nobody who has not pressed the button to go back', async () => {
    const wrong: [Record<string, string | undefined>, string][] = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: undefined }, 'invalid_request'],
      [{ scope: 'everything' }, 'invalid_scope'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    ];
    for (const [fields, error] of wrong) {
      const visitor = visitPages(app, user);
      const page = await visitor.open(authorizePath(clientId, challenge, fields));
      expect([page.status, page.headers.get('location')], error).toEqual([400, null]);
      const { to } = await decide(visitor, 'back');
      expect(to?.searchParams.get('error'), error).toBe(error);
    }
  });
});

describe('a form for consent', () => {
  const send = (cookie: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(app.url + authorizePath(clientId, challenge), {
      method: 'POST',
      redirect: 'manual',
      headers: {
        Cookie: cookie,
        Accept: 'text/html',
        'Content-Type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      body: new URLSearchParams({ decision: 'allow', scopes: 'read', ...fields }).toString(),
    });
  const csrfOf = async (who: TestUser) => {
    const page = await visitPages(app, who).open(authorizePath(clientId, challenge));
    return page.$('main input[name="_csrf"]').attr('value')!;
  };

  test('of another site, of another session, or without its token gives nothing', async () => {
    const before = await codes();
    const cookie = `session=${user.token}`;
    const own = { _csrf: await csrfOf(user) };
    expect((await send(cookie, {})).status).toBe(403);
    expect((await send(cookie, { _csrf: await csrfOf(admin) })).status).toBe(403);
    expect((await send(cookie, own, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await send(cookie, own, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect(await codes()).toBe(before);
    expect((await send(cookie, own)).status).toBe(303);
    expect(await codes()).toBe(before + 1);
  });

  test('of a session that has ended leads back to what was asked', async () => {
    const page = load(await (await send(`session=${user.token}`, { _csrf: 'old' })).text());
    expect(page('main a.button').first().attr('href')).toBe(authorizePath(clientId, challenge));
  });

  test('takes a session: neither an API key nor the token of another application can agree', async () => {
    const { key, hash, prefix } = createApiKeySecret();
    await app.database.pool.query(
      `insert into api_keys (id, user_id, key_hash, key_prefix, label, permissions, created_at)
       values ('apk_01K6Q91T6C8D2E4F6G8H0J2K4M', $1, $2, $3, 'x', 'write', now())`,
      [user.id, hash, prefix],
    );
    const { tokens } = await connectTestClient(app, user);
    const before = await codes();
    for (const token of [key, tokens.access_token]) {
      const visitor = visitPages(app, { token });
      const csrf = (await visitor.open('/search')).$('input[name="_csrf"]').attr('value') ?? '';
      expect((await visitor.open(authorizePath(clientId, challenge))).status).toBe(403);
      expect((await send(`session=${token}`, { _csrf: csrf })).status).toBe(403);
    }
    expect(await codes()).toBe(before);
  });
});

describe('the page of the account', () => {
  test('lists the applications that are connected, and disconnects one', async () => {
    const person = await app.createUser();
    const { tokens } = await connectTestClient(app, person, ['messages']);
    expect((await app.as(tokens.access_token).get('/api/me')).status).toBe(200);
    const visitor = visitPages(app, person);
    const page = await visitor.open('/my/account');
    expect(page.$('main').text()).toContain('Boat agent');
    const done = await visitor.send('form:has(input[value="disconnect"])');
    expect(done.$('[role="status"]').text()).toBe('The application is disconnected.');
    expect(done.$('main').text()).not.toContain('Boat agent');
    expect((await app.as(tokens.access_token).get('/api/me')).status).toBe(401);
  });
});
