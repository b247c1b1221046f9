import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { base64url, EncryptJWT, exportJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';

const SECRET = 'a secret of the tests alone';
const key = new TextEncoder().encode(SECRET);
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const now = () => Math.floor(Date.now() / 1_000);

let app: TestApp;
let user: TestUser;
let admin: TestUser;
beforeAll(async () => {
  app = await startApp();
  user = await app.createUser();
  admin = await app.createUser({ role: 'admin' });
});
afterAll(async () => {
  await app.close();
});

const claimsOf = (id: string, more: Record<string, unknown> = {}) => ({
  iss: 'quayside',
  sub: id,
  role: 'user',
  iat: now(),
  exp: now() + 3_600,
  jti: `0.${randomUUID()}`,
  ...more,
});
const encode = (value: unknown) => base64url.encode(JSON.stringify(value));
const signed = (claims: object, header: object = {}, secret: string | Uint8Array = key) => {
  const text = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const status = async (token: string) => (await app.as(token).get('/api/me')).status;

test('200 for a token signed here by hand, so that the refusals below are about what they change', async () => {
  expect(await status(signed(claimsOf(user.id)))).toBe(200);
});

describe('401 for a token', () => {
  test.each(['none', 'None', 'NONE', 'nOnE', ''])('with the algorithm %j and no signature', async (alg) => {
    const text = `${encode({ alg, typ: 'JWT' })}.${encode(claimsOf(user.id))}`;
    expect(await status(`${text}.`)).toBe(401);
    expect(await status(text)).toBe(401);
    expect(await status(signed(claimsOf(user.id), { alg }))).toBe(401);
  });

  test('signed with another secret, with none, with half of it', async () => {
    for (const secret of ['another secret altogether', '', SECRET.slice(0, 16), `${SECRET} `, SECRET.toUpperCase()]) {
      expect(await status(signed(claimsOf(user.id), {}, secret))).toBe(401);
    }
  });

  test('signed with RSA, or with HMAC under the text of a public key', async () => {
    const asymmetric = await new SignJWT(claimsOf(user.id)).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey);
    expect(await status(asymmetric)).toBe(401);
    for (const exported of [
      rsa.publicKey.export({ type: 'spki', format: 'pem' }),
      rsa.publicKey.export({ type: 'spki', format: 'der' }),
    ]) {
      expect(await status(signed(claimsOf(user.id), {}, exported))).toBe(401);
      expect(await status(signed(claimsOf(user.id), { alg: 'RS256' }, exported))).toBe(401);
    }
  });

  test.each(['HS384', 'HS512'] as const)('signed with the right secret by %s', async (alg) => {
    expect(await status(await new SignJWT(claimsOf(user.id)).setProtectedHeader({ alg }).sign(key))).toBe(401);
  });

  test('that brings its own key', async () => {
    const jwk = await exportJWK(rsa.publicKey);
    const octets = { kty: 'oct', k: base64url.encode('my own key, of enough bytes to sign') };
    const headers = [
      { jwk: octets },
      { kid: '../../dev/null' },
      { kid: "' union select 'x" },
      { jku: 'http://127.0.0.1:9/keys.json' },
      { x5u: 'http://127.0.0.1:9/cert.pem' },
      { x5c: [base64url.encode('certificate')] },
    ];
    for (const header of headers)
      expect(await status(signed(claimsOf(user.id), header, 'my own key, of enough bytes to sign'))).toBe(401);
    const embedded = await new SignJWT(claimsOf(user.id))
      .setProtectedHeader({ alg: 'RS256', jwk })
      .sign(rsa.privateKey);
    expect(await status(embedded)).toBe(401);
  });

  test('whose claims were edited after signing', async () => {
    const [header = '', , signature = ''] = signed(claimsOf(user.id)).split('.');
    for (const claims of [
      claimsOf(user.id, { role: 'admin' }),
      claimsOf(admin.id),
      claimsOf(user.id, { exp: now() + 1e6 }),
    ]) {
      expect(await status(`${header}.${encode(claims)}.${signature}`)).toBe(401);
    }
  });

  test.each<[string, Record<string, unknown>]>([
    ['expired a second ago', { exp: now() - 1 }],
    ['that expires never', { exp: undefined }],
    ['that expires in words', { exp: 'tomorrow' }],
    ['that is not valid yet', { nbf: now() + 600 }],
    ['of another issuer', { iss: 'somewhere' }],
    ['of no issuer', { iss: undefined }],
    ['of a list of issuers', { iss: ['quayside'] }],
    ['of nobody', { sub: undefined }],
    ['of somebody who does not exist', { sub: 'usr_01K6Q8X0A2B4C6D8E0F2G4H6J8' }],
    ['of somebody whose id is an object', { sub: { like: '%' } }],
    ['of somebody whose id is hostile', { sub: "' or 1=1 --" }],
    ['without an id of its own', { jti: undefined }],
    ['of another session epoch', { jti: '1.abc' }],
    ['of no session epoch', { jti: 'abc' }],
    ['without its time', { iat: undefined }],
  ])('%s', async (_name, change) => {
    expect(await status(signed(claimsOf(user.id, change)))).toBe(401);
  });

  test('with a critical extension, in another serialisation, encrypted, or cut', async () => {
    const good = signed(claimsOf(user.id));
    const encrypted = await new EncryptJWT(claimsOf(user.id))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(new Uint8Array(32));
    const critical = signed(claimsOf(user.id), { crit: ['x'], x: 1 });
    const odd = [
      critical,
      encrypted,
      good.slice(0, -1),
      `${good}.`,
      `${good}.x`,
      good.replace('.', '..'),
      `a.${good}`,
      encode({ token: good }),
      '{}',
      '..',
    ];
    for (const token of odd) expect(await status(token)).toBe(401);
  });

  test('anywhere but in one Authorization header of the scheme Bearer', async () => {
    const good = signed(claimsOf(user.id));
    const ask = async (path: string, headers: Record<string, string>) => (await app.as().get(path, { headers })).status;
    expect(await ask('/api/me', { Authorization: `bearer ${good}` })).toBe(200);
    for (const Authorization of [
      good,
      `Token ${good}`,
      `Basic ${good}`,
      `Bearer ${good} x`,
      `Bearer ${good}, Bearer ${good}`,
      `Bearer "${good}"`,
      'Bearer',
    ]) {
      expect(await ask('/api/me', { Authorization })).toBe(401);
    }
    for (const name of ['Cookie', 'X-Api-Key', 'X-Auth-Token', 'Proxy-Authorization'])
      expect(await ask('/api/me', { [name]: good })).toBe(401);
    expect(await ask(`/api/me?access_token=${good}&token=${good}`, {})).toBe(401);
  });
});

describe('the token tells who, the database what they may do', () => {
  const stats = async (token: string) => (await app.as(token).get('/api/admin/stats')).status;

  test('403 for a genuine token that claims the role of an admin for somebody who is none', async () => {
    expect(await stats(signed(claimsOf(user.id, { role: 'admin' })))).toBe(403);
  });

  test('a change of the role counts from the next request on, for sessions and keys', async () => {
    const person = await app.createUser({ role: 'admin' });
    const created = await app.as(person).post('/api/api-keys', { name: 'mine', permissions: 'admin' });
    expect(await stats(person.token)).toBe(200);
    await app.services.db.updateTable('users').set({ role: 'user' }).where('id', '=', person.id).execute();
    expect(await stats(person.token)).toBe(403);
    expect(await stats(created.body.key)).toBe(403);
    await app.services.db.updateTable('users').set({ role: 'admin' }).where('id', '=', person.id).execute();
    expect(await stats(person.token)).toBe(200);
  });

  test('401 for the session and the keys of a disabled account, also where no credential is needed', async () => {
    const person = await app.createUser();
    const { key: apiKey } = (await app.as(person).post('/api/api-keys', { name: 'mine' })).body;
    await app.services.db.updateTable('users').set({ disabled_at: new Date() }).where('id', '=', person.id).execute();
    for (const token of [person.token, apiKey]) {
      expect(await status(token)).toBe(401);
      expect((await app.as(token).get('/api/categories')).status).toBe(401);
    }
  });
});

describe('keys', () => {
  test('401 for a key that is one character off, in another case, or only a prefix', async () => {
    const { key: apiKey, key_prefix: prefix } = (await app.as(user).post('/api/api-keys', { name: 'mine' })).body as {
      key: string;
      key_prefix: string;
    };
    expect(await status(apiKey)).toBe(200);
    const swapped = apiKey.slice(0, -1) + (apiKey.endsWith('A') ? 'B' : 'A');
    for (const wrong of [
      swapped,
      apiKey.toUpperCase(),
      apiKey.slice(4),
      `${apiKey}A`,
      prefix,
      `${prefix}%`,
      'svc_',
      apiKey.replace('svc_', 'SVC_'),
    ]) {
      expect(await status(wrong)).toBe(401);
    }
  });
});

test('a rotated secret: tokens of the old one are good until it is taken out, new ones are signed with the first', async () => {
  const old = signed(claimsOf(user.id));
  const restart = (JWT_SECRET: string) => startApp({ database: app.database, env: { JWT_SECRET } });
  const during = await restart(`the secret after this one,${SECRET}`);
  expect((await during.as(old).get('/api/me')).status).toBe(200);
  const { body } = await during
    .as()
    .post('/api/auth/register', { email: `${randomUUID()}@example.com`, password: 'long enough' });
  expect((await during.as(body.token).get('/api/me')).status).toBe(200);
  expect((await app.as(body.token).get('/api/me')).status).toBe(401);
  await during.close();
  const after = await restart('the secret after this one');
  expect((await after.as(old).get('/api/me')).status).toBe(401);
  expect((await after.as(body.token).get('/api/me')).status).toBe(200);
  await after.close();
});
