import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../shared/kit/clock.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { createPerson } from '../../support/openapi-cases-things.ts';
import { createSoftPasskey } from '../../support/soft-passkey.ts';
import { movableClock } from '../rentals/fixture.ts';

const clock = movableClock();
let app: TestApp;
let strict: TestApp;
beforeAll(async () => {
  app = await startApp({ clock });
  strict = await startApp({ clock, database: app.database, env: { REQUIRE_SECOND_FACTOR: 'true' } });
});
afterAll(async () => {
  await strict.close();
  await app.close();
});

const passkeys = '/api/me/passkeys';
const add = async (token: string, passkey: ReturnType<typeof createSoftPasskey>, name = 'My phone', at = app) => {
  const { body } = await at.as(token).post(`${passkeys}/options`);
  return at.as(token).post(passkeys, { name, credential: passkey.register(body.challenge) });
};
const challengeOf = async (at = app) => (await at.as().post('/api/auth/passkey/options')).body.challenge as string;
const logIn = (credential: unknown, at = app) => at.as().post('/api/auth/passkey', { credential });

async function holder(role: 'user' | 'admin' = 'user', at = app) {
  const person = await createPerson(app.services, role);
  const passkey = createSoftPasskey(at.url);
  const { status, body, text } = await add(person.token, passkey, 'My phone', at);
  expect(status, text).toBe(201);
  return { ...person, passkey, passkeyId: body.id as string };
}

describe('passkeys', () => {
  test('are several to an account, by name, and deleted one by one', async () => {
    const { token, passkeyId } = await holder();
    expect((await add(token, createSoftPasskey(app.url), '  Key on my ring ')).body.name).toBe('Key on my ring');
    const names = async () =>
      (await app.as(token).get(passkeys)).body.passkeys.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(['Key on my ring', 'My phone']);
    expect((await app.as(token).delete(`${passkeys}/${passkeyId}`)).status).toBe(200);
    expect(await names()).toEqual(['Key on my ring']);
    expect((await app.as(token).delete(`${passkeys}/${passkeyId}`)).status).toBe(404);
  });

  test('are at most twenty to an account', async () => {
    const { token } = await holder();
    for (let more = 1; more < 20; more += 1) expect((await add(token, createSoftPasskey(app.url))).status).toBe(201);
    expect((await add(token, createSoftPasskey(app.url))).status).toBe(400);
  });

  test('open the account without a password or a code, and count as a second factor', async () => {
    const { id, passkey } = await holder();
    const { status, body } = await logIn(passkey.signIn(await challengeOf()));
    expect([status, body.user.id]).toEqual([200, id]);
    expect((await app.as(body.token).get('/api/me/sessions')).body.sessions[0].second_factor).toBe(true);
  });

  test('of administrators open the console where a second factor is needed', async () => {
    const { passkey } = await holder('admin', strict);
    const { body } = await logIn(passkey.signIn(await challengeOf(strict)), strict);
    expect((await strict.as(body.token).get('/api/admin/stats')).status).toBe(200);
  });

  test('that are deleted open nothing', async () => {
    const { token, passkey, passkeyId } = await holder();
    await app.as(token).delete(`${passkeys}/${passkeyId}`);
    expect((await logIn(passkey.signIn(await challengeOf()))).status).toBe(401);
  });
});

test('a suspended account is told why it stays shut, by a passkey of its own too', async () => {
  const { id, passkey } = await holder();
  const admin = await app.createUser({ role: 'admin' });
  await app.as(admin).post(`/api/admin/users/${id}/suspend`, { reason: 'Boats that do not exist.' });
  const { status, body } = await logIn(passkey.signIn(await challengeOf()));
  expect([status, body.error.code, body.error.details.suspension.reason]).toEqual([
    403,
    'account_suspended',
    'Boats that do not exist.',
  ]);
});

describe('a challenge', () => {
  test('is taken once, in parallel too', async () => {
    const { passkey } = await holder();
    const challenge = await challengeOf();
    const tries = await Promise.all([1, 2, 3].map(() => logIn(passkey.signIn(challenge))));
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  });

  test('expires, and is of this service, of its purpose and of its account', async () => {
    const { token, passkey } = await holder();
    const late = await challengeOf();
    clock.move(HOUR_MS);
    expect((await logIn(passkey.signIn(late))).status).toBe(401);
    const forged = Buffer.alloc(38, 7).toString('base64url');
    expect((await logIn(passkey.signIn(forged))).status).toBe(401);
    const { body } = await app.as(token).post(`${passkeys}/options`);
    expect((await logIn(passkey.signIn(body.challenge))).status).toBe(401);
    const stranger = await createPerson(app.services, 'user');
    const credential = createSoftPasskey(app.url).register(body.challenge);
    expect((await app.as(stranger.token).post(passkeys, { name: 'x', credential })).status).toBe(400);
  });

  test('that another site has had signed opens nothing', async () => {
    const { passkey } = await holder();
    const elsewhere = createSoftPasskey('https://evil.example');
    const signed = elsewhere.signIn(await challengeOf());
    const { id, rawId } = passkey.signIn('');
    expect((await logIn({ ...signed, id, rawId })).status).toBe(401);
  });
});
