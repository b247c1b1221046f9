import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.close();
});

const account = (email: string) => ({ email, password: 'correct horse battery', name: 'Ada Sailor' });

describe('register', () => {
  test('201 with a session that works, and nothing secret in the answer', async () => {
    const created = await app.as().post('/api/auth/register', account('ada@example.com'));
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      token_type: 'bearer',
      expires_in: 604_800,
      user: { email: 'ada@example.com', verified: false },
    });
    expect(created.text).not.toContain('battery');
    const me = await app.as(created.body.token).get('/api/me');
    expect(me.body.user.id).toBe(created.body.user.id);
  });

  test('409 for the same address in another letter case, also 20 at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        app.as().post('/api/auth/register', account(i % 2 ? 'Grace@Example.com' : 'grace@example.com')),
      ),
    );
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1);
    expect(replies.filter((reply) => reply.status === 409)).toHaveLength(19);
  });

  test.each([
    [{ email: 'no address', password: 'long enough' }],
    [{ email: 'a@example.com', password: 'short' }],
    [{ email: 'a@example.com', password: 'x'.repeat(129) }],
    [{ email: 'a@example.com', password: 'long enough', name: '' }],
    [{ email: 'a@example.com', password: 'long enough', role: 'admin' }],
    [{ password: 'long enough' }],
    [[]],
  ])('400 validation_error for %j', async (body) => {
    const reply = await app.as().post('/api/auth/register', body);
    expect(reply.status).toBe(400);
    expect(reply.body.error.code).toBe('validation_error');
  });
});

describe('login', () => {
  test('200 with the right password, whatever the letter case of the address', async () => {
    await app.as().post('/api/auth/register', account('linus@example.com'));
    const reply = await app
      .as()
      .post('/api/auth/login', { email: 'LINUS@example.com', password: 'correct horse battery' });
    expect(reply.status).toBe(200);
  });

  test('401 with the same body for a wrong password and an unknown address', async () => {
    await app.as().post('/api/auth/register', account('joan@example.com'));
    const wrong = await app.as().post('/api/auth/login', { email: 'joan@example.com', password: 'wrong password' });
    const unknown = await app.as().post('/api/auth/login', { email: 'nobody@example.com', password: 'wrong password' });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.text).toBe(unknown.text);
  });
});

describe('credentials', () => {
  test.each(['', 'not-a-token', 'a.b.c', `svc_${'x'.repeat(43)}`, 'svc_short'])(
    '401 for the bearer token %j',
    async (token) => {
      const reply = await app.as(token).get('/api/me');
      expect(reply.status).toBe(401);
      expect(reply.body.error.code).toBe('unauthorized');
    },
  );

  test('401 on a public read too, when the credential is bad', async () => {
    expect((await app.as('nonsense').get('/api/categories')).status).toBe(401);
  });

  test('a raised session epoch ends every earlier session at once', async () => {
    const user = await app.createUser();
    expect((await app.as(user).get('/api/me')).status).toBe(200);
    await app.services.db.updateTable('users').set({ session_epoch: 1 }).where('id', '=', user.id).execute();
    expect((await app.as(user).get('/api/me')).status).toBe(401);
  });

  test('a disabled account cannot be used', async () => {
    const user = await app.createUser();
    await app.services.db.updateTable('users').set({ disabled_at: new Date() }).where('id', '=', user.id).execute();
    expect((await app.as(user).get('/api/me')).status).toBe(401);
  });
});

describe('API keys', () => {
  test('the plaintext is shown once, and only its hash is stored', async () => {
    const user = await app.createUser();
    const created = await app.as(user).post('/api/api-keys', { name: 'agent' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      label: 'agent',
      permissions: 'write',
      key_prefix: created.body.key.slice(0, 12),
    });
    const listed = await app.as(user).get('/api/api-keys');
    expect(listed.text).not.toContain(created.body.key);
    const stored = await app.services.db
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', created.body.id)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(stored)).not.toContain(created.body.key);
  });

  test('a key reads its account, cannot make keys, and is refused from the moment it is revoked', async () => {
    const user = await app.createUser();
    const { key, id } = (await app.as(user).post('/api/api-keys', { name: 'agent', permissions: 'read' })).body;
    expect((await app.as(key).get('/api/me')).status).toBe(200);
    expect((await app.as(key).post('/api/api-keys', { name: 'more' })).status).toBe(403);
    const twin = await app.twin();
    expect((await app.as(user).delete(`/api/api-keys/${id}`)).body).toMatchObject({ id, revoked: true });
    expect((await app.as(key).get('/api/me')).status).toBe(401);
    expect((await twin.as(key).get('/api/me')).status).toBe(401);
    await twin.close();
  });

  test('403 for an admin key of somebody who is no admin, and for revoking a stranger’s key; 404 for an unknown one', async () => {
    const [user, stranger, admin] = [
      await app.createUser(),
      await app.createUser(),
      await app.createUser({ role: 'admin' }),
    ];
    expect((await app.as(user).post('/api/api-keys', { name: 'x', permissions: 'admin' })).status).toBe(403);
    expect((await app.as(admin).post('/api/api-keys', { name: 'x', permissions: 'admin' })).status).toBe(201);
    const { id } = (await app.as(user).post('/api/api-keys', { name: 'mine' })).body;
    expect((await app.as(stranger).delete(`/api/api-keys/${id}`)).status).toBe(403);
    expect((await app.as(user).delete('/api/api-keys/apk_unknown')).status).toBe(404);
  });
});
