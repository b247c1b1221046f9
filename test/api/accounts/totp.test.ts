import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccountToken } from '../../../shared/accounts/account-tokens.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/kit/clock.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { createPerson, password, type Person } from '../../support/openapi-cases-things.ts';
import { codeOf } from '../../support/recipes/sign-in.ts';
import { createSoftPasskey } from '../../support/soft-passkey.ts';
import { movableClock } from '../rentals/fixture.ts';

const clock = movableClock();
let app: TestApp;
let strict: TestApp;
beforeAll(async () => {
  app = await startApp({ clock });
  strict = await startApp({
    clock,
    database: app.database,
    env: { REQUIRE_SECOND_FACTOR: 'true', RATE_LIMIT_MULTIPLIER: '1' },
  });
});
afterAll(async () => {
  await strict.close();
  await app.close();
});

const logIn = (email: string, totp?: string, at = app) => at.as().post('/api/auth/login', { email, password, totp });
const totp = '/api/me/totp';

/** Sets up an app for a person, by a session of theirs; each use of a code takes a step of its own. */
async function enrol(token: string) {
  const { body } = await app.as(token).post(totp);
  clock.move(MINUTE_MS);
  const {
    status,
    body: confirmed,
    text,
  } = await app.as(token).post(`${totp}/confirm`, { code: codeOf(body.secret, clock.now()) });
  expect(status, text).toBe(200);
  clock.move(MINUTE_MS);
  return {
    secret: body.secret as string,
    url: body.otpauth_url as string,
    codes: confirmed.recovery_codes as string[],
  };
}

async function enrolled(role: 'user' | 'admin' = 'user') {
  const person: Person = await createPerson(app.services, role);
  return {
    ...person,
    ...(await enrol(person.token)),
    code: (secret: string, steps = 0) => codeOf(secret, clock.now(), steps),
  };
}

describe('setting up an authenticator app', () => {
  test('answers an address that apps take, and asks for nothing before a code has confirmed it', async () => {
    const person = await createPerson(app.services, 'user');
    const { body } = await app.as(person.token).post(totp);
    const url = new URL(body.otpauth_url);
    expect([url.protocol, url.host, url.searchParams.get('secret')]).toEqual(['otpauth:', 'totp', body.secret]);
    expect(url.searchParams.get('issuer')).toBe('Quayside');
    expect((await logIn(person.email)).status).toBe(200);
    const wrong = await app.as(person.token).post(`${totp}/confirm`, { code: '000000' });
    expect([wrong.status, wrong.body.error.details.errors[0].path]).toEqual([400, '/body/code']);
    expect((await app.as(person.token).get(totp)).body.enabled).toBe(false);
  });

  test('once confirmed is 409 to be set up again, and other sessions have ended', async () => {
    const person = await createPerson(app.services, 'user');
    const { body } = await logIn(person.email);
    const { codes } = await enrol(person.token);
    expect(new Set(codes).size).toBe(10);
    expect((await app.as(body.token).get('/api/me')).status).toBe(401);
    expect((await app.as(person.token).post(totp)).status).toBe(409);
    expect((await app.as(person.token).get(totp)).body).toMatchObject({ enabled: true, recovery_codes_left: 10 });
  });

  test('stores neither the secret nor the recovery codes as they are', async () => {
    const { id, secret, codes } = await enrolled();
    const { rows } = await app.database.pool.query(
      `select t::text as row from totp_secrets t where user_id = $1
       union all select c::text from recovery_codes c where user_id = $1`,
      [id],
    );
    const stored = rows.map(({ row }) => row).join('\n');
    expect(rows).toHaveLength(11);
    for (const code of codes) expect(stored).not.toContain(code.replaceAll('-', ''));
    expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
  });

  test('is not for API keys, which work on without a code', async () => {
    const { token } = await enrolled();
    const { body } = await app.as(token).post('/api/api-keys', { name: 'Key' });
    expect((await app.as(body.key).get('/api/me')).status).toBe(200);
    expect((await app.as(body.key).post(totp)).status).toBe(403);
  });
});

describe('logging in with an authenticator app', () => {
  test('without a code is 401 second_factor_required, for whoever has the password alone', async () => {
    const { email, code, secret } = await enrolled();
    const without = await logIn(email);
    expect([without.status, without.body.error.code]).toEqual([401, 'second_factor_required']);
    const wrong = await app.as().post('/api/auth/login', { email, password: 'not it', totp: code(secret) });
    expect([wrong.status, wrong.body.error.code]).toEqual([401, 'unauthorized']);
    const right = await logIn(email, code(secret));
    expect(right.status).toBe(200);
    expect((await app.as(right.body.token).get('/api/me/sessions')).body.sessions[0].second_factor).toBe(true);
  });

  test('takes a code of the step before or after, spaced as apps show it, each once, in parallel too', async () => {
    const { email, code, secret } = await enrolled();
    const late = code(secret, -1);
    expect((await logIn(email, `${late.slice(0, 3)} ${late.slice(3)}`)).status).toBe(200);
    const same = await Promise.all(Array.from({ length: 5 }, () => logIn(email, code(secret, 1))));
    expect(same.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401, 401]);
    expect((await logIn(email, code(secret))).status).toBe(401);
    expect((await logIn(email, code(secret, 3))).status).toBe(401);
  });

  test('takes each recovery code once, however it is spaced', async () => {
    const { email, codes } = await enrolled();
    const [code = ''] = codes;
    expect((await logIn(email, code.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
    const again = await logIn(email, code);
    expect([again.status, again.body.error.code]).toEqual([401, 'second_factor_required']);
  });

  test('after ten wrong codes in an hour is 429, with a right one too, until the hour is over', async () => {
    const { email, code, secret } = await enrolled();
    const wrong = await Promise.all(Array.from({ length: 14 }, () => logIn(email, '000000', strict)));
    expect(wrong.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(10);
    const locked = await logIn(email, code(secret), strict);
    expect([locked.status, Number(locked.headers.get('retry-after')) > 0]).toEqual([429, true]);
    clock.move(HOUR_MS);
    expect((await logIn(email, code(secret), strict)).status).toBe(200);
  });

  test('works after the secret of the service was replaced, which seals it anew', async () => {
    const { email, secret } = await enrolled();
    const [old = ''] = app.services.config.jwtSecrets;
    const rotated = await startApp({ clock, database: app.database, env: { JWT_SECRET: `another secret 2,${old}` } });
    expect((await logIn(email, codeOf(secret, clock.now()), rotated)).status).toBe(200);
    const retired = await startApp({ clock, database: app.database, env: { JWT_SECRET: 'another secret 2' } });
    clock.move(MINUTE_MS);
    expect((await logIn(email, codeOf(secret, clock.now()), retired)).status).toBe(200);
    await Promise.all([rotated.close(), retired.close()]);
  });
});

describe('links by mail', () => {
  const linkFor = (user: Person) => createAccountToken(app.services.db, { purpose: 'magic_link', user }, clock.now());
  const open = (token: string, code?: string) => app.as().post('/api/auth/magic-link/verify', { token, totp: code });

  test('ask for a code too, and stay good when it is wrong', async () => {
    const person = await enrolled();
    const token = await linkFor(person);
    expect((await open(token)).body.error.code).toBe('second_factor_required');
    expect((await open(token, '000000')).body.error.code).toBe('second_factor_required');
    expect((await open(token, person.code(person.secret))).status).toBe(200);
    expect((await open(token, person.code(person.secret, 1))).body.error.code).toBe('unauthorized');
  });

  test('free the owner of an address from the app and the passkeys of a stranger who registered with it', async () => {
    const person = await enrolled();
    await app.database.pool.query('update users set verified = false where id = $1', [person.id]);
    const { status, body } = await open(await linkFor(person));
    expect(status).toBe(200);
    expect((await app.as(body.token).get(totp)).body.enabled).toBe(false);
  });

  test('set a new password without a code, which the next sign-in asks for', async () => {
    const person = await enrolled();
    const token = await createAccountToken(app.services.db, { purpose: 'password_reset', user: person }, clock.now());
    expect((await app.as().post('/api/auth/password-reset/confirm', { token, password })).status).toBe(200);
    expect((await logIn(person.email)).body.error.code).toBe('second_factor_required');
  });
});

describe('removing the app', () => {
  test('needs the password or a code', async () => {
    const { token, email, codes } = await enrolled();
    const wrong = await app.as(token).delete(totp, { body: { password: 'not this one' } });
    expect([wrong.status, wrong.body.error.details.errors[0].path]).toEqual([400, '/body/password']);
    const wrongCode = await app.as(token).delete(totp, { body: { code: '000000' } });
    expect([wrongCode.status, wrongCode.body.error.details.errors[0].path]).toEqual([400, '/body/code']);
    expect((await app.as(token).delete(totp, { body: { code: codes[3] } })).body.enabled).toBe(false);
    expect((await logIn(email)).status).toBe(200);
  });
});

describe('where administrators need a second factor', () => {
  test('one without may only set one up, and has all rights once it is', async () => {
    const admin = await createPerson(app.services, 'admin');
    const { body } = await logIn(admin.email, undefined, strict);
    const me = strict.as(body.token);
    for (const path of ['/api/admin/stats', '/api/me/listings', '/api/api-keys']) {
      const refused = await me.get(path);
      expect([path, refused.status, refused.body.error.code]).toEqual([path, 401, 'enrolment_required']);
    }
    expect((await me.get('/api/me')).status).toBe(200);
    const { body: started } = await me.post(totp);
    clock.move(MINUTE_MS);
    expect((await me.post(`${totp}/confirm`, { code: codeOf(started.secret, clock.now()) })).status).toBe(200);
    expect((await me.get('/api/admin/stats')).status).toBe(200);
  });

  test('a session that has shown none can neither add another nor remove the one that there is', async () => {
    const { id, role, codes } = { ...(await enrolled('admin')), role: 'admin' };
    const me = strict.as(await app.services.tokens.sign({ id, role, session_epoch: 0 }));
    expect((await me.post(`${totp}/confirm`, { code: '123456' })).status).toBe(403);
    expect((await me.delete(totp, { body: { password } })).body.error.code).toBe('enrolment_required');
    const passkey = await me.post('/api/me/passkeys', await passkeyBody(me));
    expect(passkey.status).toBe(403);
    expect(codes).toHaveLength(10);
  });

  test('users and API keys are let be', async () => {
    const person = await createPerson(app.services, 'user');
    expect((await strict.as(person.token).get('/api/me/listings')).status).toBe(200);
    const admin = await createPerson(app.services, 'admin');
    const { body } = await app.as(admin.token).post('/api/api-keys', { name: 'Key', permissions: 'admin' });
    expect((await strict.as(body.key).get('/api/me/listings')).status).toBe(200);
  });
});

async function passkeyBody(me: ReturnType<TestApp['as']>) {
  const { body } = await me.post('/api/me/passkeys/options');
  return { name: 'Key', credential: createSoftPasskey(strict.url).register(body.challenge) };
}
