import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { createListing } from '../../support/openapi-cases-things.ts';
import { waitFor } from '../../support/waiting.ts';

let app: TestApp;
let twin: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await startApp();
  twin = await app.twin();
  user = await app.createUser({ name: 'Ada Sailor' });
});
afterAll(async () => {
  await twin.close();
  await app.close();
});

const setUser = (id: string, fields: { role?: string; disabled_at?: Date | null }) =>
  app.services.db.updateTable('users').set(fields).where('id', '=', id).execute();

describe('PATCH /api/me', () => {
  test('changes what is named and leaves the rest', async () => {
    const renamed = await app.as(user).patch('/api/me', { name: '  Ada Lovelace ' });
    expect([renamed.status, renamed.body.user]).toMatchObject([
      200,
      { name: 'Ada Lovelace', email_notifications: true },
    ]);
    const silenced = await app.as(user).patch('/api/me', { email_notifications: false });
    expect(silenced.body.user).toMatchObject({ name: 'Ada Lovelace', email_notifications: false });
    expect((await twin.as(user).get('/api/me')).body).toEqual(silenced.body);
    expect((await app.as(user).patch('/api/me', {})).body).toEqual(silenced.body);
  });

  test('a new name is on the listings that anonymous readers see, on every process, whatever was kept', async () => {
    const seller = await app.createUser({ name: 'Before' });
    const { id } = await createListing(app.services, seller, 'active');
    const nameOn = async (process: TestApp) => (await process.as().get(`/api/listings/${id}`)).body.seller.name;
    for (const process of [app, twin]) {
      await nameOn(process);
      expect((await process.as().get(`/api/listings/${id}`)).headers.get('x-cache')).toBe('HIT');
    }
    await app.as(seller).patch('/api/me', { name: 'After' });
    await waitFor(async () => {
      expect([await nameOn(app), await nameOn(twin)]).toEqual(['After', 'After']);
    }, 5_000);
  });

  test.each([
    [{ name: '' }],
    [{ name: '   ' }],
    [{ name: 'x'.repeat(101) }],
    [{ name: null }],
    [{ name: 'a\u0000b' }],
    [{ email_notifications: 'no' }],
    [{ email: 'new@example.com' }],
    [{ role: 'admin' }],
    [{ verified: true }],
    [[]],
  ])('400 for %j, and nothing changes', async (body) => {
    const before = (await app.as(user).get('/api/me')).text;
    expect((await app.as(user).patch('/api/me', body)).status).toBe(400);
    expect((await app.as(user).get('/api/me')).text).toBe(before);
  });

  test('100 characters are characters, not bytes or halves of them', async () => {
    const name = '⛵'.repeat(50) + '𝔸'.repeat(50);
    expect((await app.as(user).patch('/api/me', { name })).body.user.name).toBe(name);
  });

  test('a read key may not change it, a write key may', async () => {
    const keys = [];
    for (const permissions of ['read', 'write'])
      keys.push((await app.as(user).post('/api/api-keys', { name: 'mine', permissions })).body.key);
    const statuses = [];
    for (const key of keys) statuses.push((await app.as(key).patch('/api/me', { name: 'By key' })).status);
    expect(statuses).toEqual([403, 200]);
  });
});

describe('GET /api/users/{id}', () => {
  test('tells what is public, and never the address', async () => {
    const seller = await app.createUser({ name: 'Grace', verified: false });
    for (const status of ['active', 'active', 'draft', 'sold', 'paused'])
      await createListing(app.services, seller, status);
    const { status, body, text } = await app.as().get(`/api/users/${seller.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: seller.id,
      name: 'Grace',
      type: 'human',
      verified: false,
      created_at: expect.any(String),
      listing_count: 2,
      avg_rating: 0,
      total_reviews: 0,
    });
    expect(text).not.toContain('@');
  });

  test('averages the reviews that the user has received', async () => {
    const [seller, buyer] = [await app.createUser(), await app.createUser()];
    for (const rating of [5, 4, 5]) {
      const listing = newId('listing');
      await app.services.db
        .insertInto('reviews')
        .values({
          id: newId('review'),
          listing_id: listing,
          seller_id: seller.id,
          reviewer_id: buyer.id,
          rating,
          created_at: new Date(),
        })
        .execute();
    }
    const of = async (id: string) => (await app.as().get(`/api/users/${id}`)).body;
    expect(await of(seller.id)).toMatchObject({ avg_rating: 4.67, total_reviews: 3, listing_count: 0 });
    expect(await of(buyer.id)).toMatchObject({ avg_rating: 0, total_reviews: 0 });
  });

  test('404 for nobody and for a disabled account, its listings too', async () => {
    const gone = await app.createUser();
    await setUser(gone.id, { disabled_at: new Date() });
    for (const id of ['usr_01K6Q8X0A2B4C6D8E0F2G4H6J8', 'x', gone.id]) {
      expect((await app.as().get(`/api/users/${id}`)).status).toBe(404);
      expect((await app.as().get(`/api/users/${id}/listings`)).status).toBe(404);
    }
  });
});

describe('what ends access ends it at once, on every process', () => {
  const statusOf = async (process: TestApp, token: string) => (await process.as(token).get('/api/me')).status;
  const everywhere = async (token: string) => [await statusOf(app, token), await statusOf(twin, token)];

  test('logging out everywhere: every session, the asking one too, and no key', async () => {
    const person = await app.createUser();
    const another = await app.services.tokens.sign({ id: person.id, role: 'user', session_epoch: 0 });
    const { key } = (await app.as(person).post('/api/api-keys', { name: 'mine' })).body;
    expect(await everywhere(another)).toEqual([200, 200]);
    const reply = await app.as(person).post('/api/auth/logout-all');
    expect([reply.status, reply.body]).toEqual([200, { logged_out: true }]);
    expect(await everywhere(person.token)).toEqual([401, 401]);
    expect(await everywhere(another)).toEqual([401, 401]);
    expect(await everywhere(key)).toEqual([200, 200]);
    expect((await app.as(key).post('/api/auth/logout-all')).status).toBe(403);
  });

  test('with {"keys": true} every key and webhook too, and the answer says which', async () => {
    const person = await app.createUser();
    const { key, id, key_prefix } = (await app.as(person).post('/api/api-keys', { name: 'mine' })).body;
    const old = (await app.as(person).post('/api/api-keys', { name: 'old' })).body;
    await app.as(person).delete(`/api/api-keys/${old.id}`);
    const url = 'https://hooks.example.com/mine';
    const hook = (await app.as(person).post('/api/webhooks', { url, events: ['*'] })).body;
    const reply = await twin.as(person).post('/api/auth/logout-all', { keys: true });
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        logged_out: true,
        revoked_keys: [{ id, label: 'mine', key_prefix }],
        paused_webhooks: [{ id: hook.id, url }],
      },
    ]);
    expect(await everywhere(person.token)).toEqual([401, 401]);
    expect(await everywhere(key)).toEqual([401, 401]);
    const row = await app.services.db
      .selectFrom('webhooks')
      .select('active')
      .where('id', '=', hook.id)
      .executeTakeFirst();
    expect(row).toEqual({ active: false });
  });

  test.each([[{ keys: 'yes' }], [{ all: true }], [[]]])('400 for %j, and nobody is logged out', async (body) => {
    const person = await app.createUser();
    expect((await app.as(person).post('/api/auth/logout-all', body)).status).toBe(400);
    expect(await everywhere(person.token)).toEqual([200, 200]);
  });

  test('revoking a key, disabling an account, taking a role away', async () => {
    // There is always an administrator left.
    await app.createUser({ role: 'admin' });
    const admin = await app.createUser({ role: 'admin' });
    const { key, id } = (await app.as(admin).post('/api/api-keys', { name: 'mine', permissions: 'admin' })).body;
    const stats = async (process: TestApp) => (await process.as(admin).get('/api/admin/stats')).status;
    expect([...(await everywhere(key)), await stats(app), await stats(twin)]).toEqual([200, 200, 200, 200]);
    await app.as(admin).delete(`/api/api-keys/${id}`);
    expect(await everywhere(key)).toEqual([401, 401]);
    await setUser(admin.id, { role: 'user' });
    expect([await stats(app), await stats(twin)]).toEqual([403, 403]);
    await setUser(admin.id, { disabled_at: new Date() });
    expect(await everywhere(admin.token)).toEqual([401, 401]);
    await setUser(admin.id, { disabled_at: null });
    expect(await everywhere(admin.token)).toEqual([200, 200]);
  });

  test.each([
    { kind: 'key', path: '/api/api-keys', sent: { name: 'smuggled' }, table: 'api_keys' as const },
    {
      kind: 'webhook',
      path: '/api/webhooks',
      sent: { url: 'https://hooks.example.com/', events: ['*'] },
      table: 'webhooks' as const,
    },
  ])(
    'a session that ends while the body of its request is on the way makes no $kind',
    async ({ path, sent, table }) => {
      const person = await app.createUser();
      const authenticated = vi.spyOn(app.services, 'authenticate');
      const body = JSON.stringify(sent);
      const slow = request(`${app.url}${path}`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${person.token}`,
          'Content-Type': 'application/json',
          'Content-Length': body.length,
        },
      });
      slow.flushHeaders();
      await waitFor(async () => {
        expect(authenticated).toHaveBeenCalledOnce();
        await authenticated.mock.results[0]?.value;
      });
      await twin.as(person).post('/api/auth/logout-all');
      const status = await new Promise((resolve, reject) => {
        slow.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject);
        slow.end(body);
      });
      authenticated.mockRestore();
      expect(status).toBe(401);
      const left = await app.services.db.selectFrom(table).select('id').where('user_id', '=', person.id).execute();
      expect(left).toEqual([]);
    },
  );
});

test('one of 12 registrations of one address at once succeeds, whatever the letter case, on two processes', async () => {
  const email = `Moewe.${randomUUID()}@Example.com`;
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      (index % 2 ? app : twin).as().post('/api/auth/register', {
        email: [email, email.toUpperCase(), email.toLowerCase()][index % 3],
        password: 'correct horse battery',
      }),
    ),
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(11).fill(409)]);
});

test('the session token is what the interface says: HS256 under the raw secret, with these claims and seven days', async () => {
  const email = `${newId('user').toLowerCase()}@example.com`;
  const { body } = await app.as().post('/api/auth/register', { email, password: 'correct horse battery' });
  const [header = '', payload = '', signature] = (body.token as string).split('.');
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  expect(parse(header)).toMatchObject({ alg: 'HS256' });
  const claims = parse(payload);
  expect(claims).toEqual({
    iss: 'quayside',
    sub: body.user.id,
    role: 'user',
    iat: expect.any(Number),
    exp: Number(claims['iat']) + 604_800,
    jti: expect.any(String),
  });
  const [secret = ''] = app.services.config.jwtSecrets;
  expect(createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url')).toBe(signature);
});
