import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
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

describe('a password that is refused', () => {
  const register = (email: string, password: string) => app.as().post('/api/auth/register', { email, password });

  test.each([
    ['password123', 'one of the 3,000 most common'],
    ['PASSWORD123', 'the same in capitals'],
    ['shore.leave@example.com', 'the address'],
    ['Shore.Leave@Example.com', 'the address in other letters'],
    ['shore.leave', 'the part of the address before the @'],
  ])('400 for %s (%s), with the field and what is wrong with it', async (password) => {
    const reply = await register('shore.leave@example.com', password);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'validation_error']);
    expect(reply.body.error.details.errors).toEqual([
      { path: '/body/password', message: expect.stringMatching(/most common|address/), reason: 'guessable' },
    ]);
    expect(reply.text).not.toContain(password);
  });

  test.each(['password1234x', 'xpassword123', 'pass word123', 'shore.leave@example.org', 'shore.leave.'])(
    '201 for %s: only the whole password is compared',
    async (password) => {
      const email = `shore.leave@${randomUUID()}.example.com`;
      expect((await register(email, password)).status).toBe(201);
    },
  );

  test('a common one that an account has already still logs in', async () => {
    const user = await app.createUser();
    const password_hash = await app.services.passwords.hash('password123');
    await app.services.db.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute();
    const reply = await app.as().post('/api/auth/login', { email: user.email, password: 'password123' });
    expect(reply.status).toBe(200);
  });
});

describe('an email address', () => {
  const register = (email: string) => app.as().post('/api/auth/register', { ...account(email), name: undefined });

  test.each(['a@b', 'a@localhost', 'a@b.', 'a@.example', 'a@1.2.3.4', 'a@-b.example', 'ü@bücher', 'a b@example.com'])(
    '400 for %s at register, login, links, contact and newsletter alike',
    async (email) => {
      const replies = [
        await register(email),
        await app.as().post('/api/auth/login', account(email)),
        await app.as().post('/api/auth/magic-link', { email }),
        await app.as().post('/api/auth/password-reset', { email }),
        await app.as().post('/api/newsletter/subscribe', { email }),
        await app.as().post('/api/listings/lst_none/contact', { name: 'Ada', email, message: 'Hello' }),
      ];
      expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(400));
      for (const { body } of replies)
        expect(body.error.details.errors).toContainEqual({
          path: '/body/email',
          message: 'must be an email address in any script whose domain has a dot, like "ada@example.com"',
          reason: 'not_an_email',
        });
    },
  );

  test('201 for one in any script, shown as it is written; every other spelling of it is the same account', async () => {
    const created = await register('Jürgen.Müller@bücher.example');
    expect([created.status, created.body.user?.email]).toEqual([201, 'jürgen.müller@bücher.example']);
    expect(created.body.user.name).toBe('jürgen.müller');
    const spellings = [
      'jürgen.müller@xn--bcher-kva.example',
      'JÜRGEN.MÜLLER@BÜCHER.EXAMPLE',
      'jürgen.müller@bücher.example'.normalize('NFD'),
      'jürgen.müller@bücher。example',
    ];
    for (const email of spellings) {
      expect((await register(email)).status).toBe(409);
      const reply = await app.as().post('/api/auth/login', { email, password: 'correct horse battery' });
      expect([reply.status, reply.body.user.id]).toEqual([200, created.body.user.id]);
    }
    expect((await app.as(created.body.token).get('/api/me')).body.user.email).toBe('jürgen.müller@bücher.example');
  });

  test('the newsletter and the contact of an owner take it too', async () => {
    const replies = [await app.as().post('/api/newsletter/subscribe', { email: 'ü@bücher.example' })];
    replies.push(
      await app.as().post('/api/listings/lst_none/contact', { name: 'Ü', email: 'ü@bücher.example', message: 'Hello' }),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 404]);
    const { rows } = await app.database.pool.query('select email from newsletter_subscribers');
    expect(rows).toEqual([{ email: 'ü@xn--bcher-kva.example' }]);
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

  test('409 for the 51st key that is active, also 12 at once on two processes, until one is revoked', async () => {
    const user = await app.createUser();
    const twin = await app.twin();
    const now = new Date();
    const fields = { user_id: user.id, key_prefix: 'svc_x', label: 'agent', permissions: 'read', created_at: now };
    const rowOf = (revoked_at: Date | null) => ({
      ...fields,
      id: newId('api_key'),
      key_hash: randomBytes(32),
      revoked_at,
    });
    const rows = Array.from({ length: 55 }, (_, i) => rowOf(i < 45 ? null : now));
    await app.services.db.insertInto('api_keys').values(rows).execute();
    const create = (at: TestApp) => at.as(user).post('/api/api-keys', { name: 'agent' });
    const replies = await Promise.all(Array.from({ length: 12 }, (_, i) => create(i % 2 ? app : twin)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array(5).fill(201),
      ...Array(7).fill(409),
    ]);
    const refused = replies.find(({ status }) => status === 409);
    expect(refused?.body.error).toMatchObject({ code: 'conflict', message: expect.stringContaining('50') });
    await app.as(user).delete(`/api/api-keys/${rows[0]?.id}`);
    expect((await create(app)).status).toBe(201);
    expect((await create(app)).status).toBe(409);
    await twin.close();
  });
});
