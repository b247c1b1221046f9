import { connectApplication, secretOf } from '../../support/openapi-cases-things.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/kit/clock.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { askForToken, createMailbox, findToken, freshAddress, password, readLink } from './links.ts';
import { waitFor } from '../../support/waiting.ts';

let offsetMs = 0;
const clock = { now: () => new Date(Date.now() + offsetMs) };
let app: TestApp;
let twin: TestApp;
let workers: TestWorkers;
let mailbox: ReturnType<typeof createMailbox>;
beforeAll(async () => {
  app = await startApp({ clock });
  twin = await app.twin();
  workers = await startWorkers(app);
  mailbox = createMailbox(app, workers);
});
afterAll(async () => {
  await workers.close();
  await twin.close();
  await app.close();
});

const post = (path: string, body: unknown) => app.as().post(`/api/auth/${path}`, body);
const register = async (email = freshAddress()) => {
  const { status, body } = await post('register', { email, password });
  expect(status).toBe(201);
  const proof = findToken(await mailbox(), 'verify_email');
  return { email, token: body.token as string, id: body.user.id as string, proof };
};
const statusOf = async (token: string) => (await app.as(token).get('/api/me')).status;
const rowOf = (id: string) =>
  app.services.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const disable = (user: Pick<TestUser, 'id'>) =>
  app.services.db.updateTable('users').set({ disabled_at: new Date() }).where('id', '=', user.id).execute();
const giveKey = async (token: string, name: string) => {
  const { status, body } = await app.as(token).post('/api/api-keys', { name });
  expect(status).toBe(201);
  return body as { id: string; key: string; key_prefix: string };
};
const giveWebhook = async (user_id: string, { active = true } = {}) => {
  const id = newId('webhook');
  const row = { id, user_id, url: `https://example.com/${id}`, events: ['*'], active };
  await app.services.db
    .insertInto('webhooks')
    .values({ ...row, secret: 'whsec_x', created_at: new Date() })
    .execute();
  return row;
};
const giveDelivery = (webhook_id: string) =>
  app.services.db
    .insertInto('webhook_deliveries')
    .values({
      id: newId('webhook_delivery'),
      webhook_id,
      event_type: 'ping',
      payload: '{}',
      status: 'pending',
      created_at: new Date(),
    })
    .execute();
const webhooksOf = (id: string) =>
  app.services.db.selectFrom('webhooks').select(['id', 'active']).where('user_id', '=', id).orderBy('id').execute();
/** A change of a webhook whose credential is looked at before its body is there. */
function slowChange(token: string, id: string) {
  const authenticate = vi.spyOn(twin.services, 'authenticate');
  const call = request(`${twin.url}/api/webhooks/${id}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': 15 },
  });
  call.flushHeaders();
  return {
    begun: waitFor(async () => {
      expect(authenticate).toHaveBeenCalledOnce();
      await authenticate.mock.results[0]?.value;
    }),
    async end(body: string) {
      authenticate.mockRestore();
      return new Promise((resolve, reject) => {
        call.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject);
        call.end(body);
      });
    },
  };
}
/** Both kinds of links that somebody asks for by their address. */
const kinds = [
  ['magic_link', 'magic-link', 'magic-link/verify', 15 * MINUTE_MS],
  ['password_reset', 'password-reset', 'password-reset/confirm', HOUR_MS],
] as const;
const redeem = (path: string, token: string) =>
  post(path, { token, ...(path.includes('reset') && { password: 'another long password' }) });

describe.each(kinds)('%s', (purpose, ask, confirm, lifetimeMs) => {
  const refused = purpose === 'magic_link' ? 401 : 400;

  test('the answer is the same for an address with an account, without one and with a disabled one; only the first gets mail', async () => {
    const [user, disabled] = [await app.createUser(), await app.createUser()];
    await disable(disabled);
    const replies = [];
    for (const email of [user.email.toUpperCase(), freshAddress(), disabled.email])
      replies.push(await post(ask, { email }));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(replies[0]?.body).toEqual({ sent: true, message: expect.any(String) });
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    const mails = await mailbox();
    expect(mails.map(({ to }) => to?.[0]?.address)).toEqual([user.email]);
    expect(readLink(mails[0])).toMatchObject({ token: expect.stringMatching(/^[\w-]{43}$/), purpose });
    expect(readLink(mails[0]).url.startsWith(`${app.services.config.baseUrl}/sign-in/`)).toBe(true);
  });

  test('the link is made from BASE_URL, whatever host was asked', async () => {
    const user = await app.createUser();
    await app.as().post(
      `/api/auth/${ask}`,
      { email: user.email },
      {
        headers: { 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example', Origin: 'https://evil.example' },
      },
    );
    const [mail] = await mailbox();
    expect(`${mail?.text}${mail?.html}`).not.toContain('evil.example');
  });

  test('neither the address nor the token is in a job or in a row, but for the hash', async () => {
    const user = await app.createUser();
    const token = await askForToken(app, mailbox, purpose, user.email);
    const jobs = await app.database.pool.query(
      "select data::text || coalesce(output::text, '') as text from pgboss.job",
    );
    const text = JSON.stringify(jobs.rows);
    expect(text).toContain(user.id);
    expect(text).not.toContain(user.email);
    expect(text).not.toContain(token);
    const rows = await app.services.db
      .selectFrom('account_tokens')
      .selectAll()
      .where('user_id', '=', user.id)
      .execute();
    expect(rows.map(({ token_hash }) => token_hash)).toEqual([createHash('sha256').update(token).digest()]);
    expect(await app.services.db.selectFrom('account_link_requests').selectAll().execute()).toEqual([]);
  });

  test('a token works once, also when 10 use it at once on two processes', async () => {
    const user = await app.createUser();
    const token = await askForToken(app, mailbox, purpose, user.email);
    const body = { token, ...(purpose === 'password_reset' && { password: 'another long password' }) };
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 ? app : twin).as().post(`/api/auth/${confirm}`, body)),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(9).fill(refused)]);
    expect((await redeem(confirm, token)).status).toBe(refused);
  });

  test('using one ends the other open ones of its kind, and no others', async () => {
    const user = await app.createUser();
    const first = await askForToken(app, mailbox, purpose, user.email);
    const second = await askForToken(app, mailbox, purpose, user.email);
    const [otherPurpose, , otherPath] = kinds.find(([each]) => each !== purpose) ?? kinds[0];
    const other = await askForToken(app, mailbox, otherPurpose, user.email);
    const replies = await Promise.all([redeem(confirm, first), redeem(confirm, second)]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, refused]);
    expect((await redeem(otherPath, other)).status).toBe(200);
  });

  test('a token ends with its time', async () => {
    const user = await app.createUser();
    const [early, late] = [
      await askForToken(app, mailbox, purpose, user.email),
      await askForToken(app, mailbox, purpose, (await app.createUser()).email),
    ];
    offsetMs += lifetimeMs - MINUTE_MS;
    expect((await redeem(confirm, early)).status).toBe(200);
    offsetMs += MINUTE_MS;
    expect((await redeem(confirm, late)).status).toBe(refused);
  });

  test('a token is good for nothing else, and not for a disabled account', async () => {
    const user = await app.createUser({ verified: false });
    const token = await askForToken(app, mailbox, purpose, user.email);
    for (const [, , path] of kinds.filter(([each]) => each !== purpose))
      expect((await redeem(path, token)).status).toBeGreaterThanOrEqual(400);
    expect((await redeem('verify-email', token)).status).toBe(400);
    expect((await rowOf(user.id)).verified).toBe(false);
    await disable(user);
    expect((await redeem(confirm, token)).status).toBe(refused);
  });

  test.each(['', 'x', 'x'.repeat(200), '\u0000', 'A'.repeat(43)])('4xx for the token %j', async (token) => {
    expect([refused, 400]).toContain((await redeem(confirm, token)).status);
  });

  test('an address gets 5 of these mails an hour, and is not told that it asked for more', async () => {
    const capped = await startWorkers(app, { env: { rateLimitMultiplier: 1 } });
    offsetMs += HOUR_MS - (clock.now().getTime() % HOUR_MS) + MINUTE_MS;
    const user = await app.createUser();
    const box = createMailbox(app, capped);
    await box();
    const replies = await Promise.all(Array.from({ length: 8 }, () => post(ask, { email: user.email })));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await box()).toHaveLength(5);
    offsetMs += HOUR_MS;
    await post(ask, { email: user.email });
    expect(await box()).toHaveLength(1);
    await capped.close();
    await mailbox();
  });
});

describe('a magic link', () => {
  test('opens a session, and leaves what a proved account has', async () => {
    const user = await app.createUser();
    const { key } = (await app.as(user).post('/api/api-keys', { name: 'mine' })).body;
    const { status, body } = await post('magic-link/verify', {
      token: await askForToken(app, mailbox, 'magic_link', user.email),
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'bearer', expires_in: 604_800, user: { id: user.id, verified: true } });
    for (const token of [body.token, user.token, key]) expect(await statusOf(token)).toBe(200);
  });

  test('shuts out whoever registered an address that was never proved: password, sessions, keys, webhooks', async () => {
    const { email, token, id } = await register();
    const { key } = (await app.as(token).post('/api/api-keys', { name: 'mine' })).body;
    await app.services.db
      .insertInto('webhooks')
      .values({
        id: `whk_${id.slice(4)}`,
        user_id: id,
        url: 'https://example.com/hook',
        events: ['*'],
        secret: 'whsec_x',
        created_at: new Date(),
      })
      .execute();
    const { body } = await post('magic-link/verify', { token: await askForToken(app, mailbox, 'magic_link', email) });
    expect(body.user).toMatchObject({ id, verified: true });
    expect(await statusOf(body.token)).toBe(200);
    expect([await statusOf(token), await statusOf(key)]).toEqual([401, 401]);
    expect((await post('login', { email, password })).status).toBe(401);
    const hooks = await app.services.db.selectFrom('webhooks').select('active').where('user_id', '=', id).execute();
    expect(hooks).toEqual([{ active: false }]);
  });
});

describe('a password reset', () => {
  test('changes the password, ends every session, tells the owner by mail and logs nobody in', async () => {
    const { email, token, proof, id } = await register();
    await post('verify-email', { token: proof });
    const reply = await post('password-reset/confirm', {
      token: await askForToken(app, mailbox, 'password_reset', email),
      password: 'another long password',
    });
    expect([reply.status, reply.body]).toEqual([200, { reset: true }]);
    expect(await statusOf(token)).toBe(401);
    expect((await post('login', { email, password })).status).toBe(401);
    expect((await post('login', { email, password: 'another long password' })).status).toBe(200);
    const [notice] = await mailbox();
    expect(notice).toMatchObject({ subject: 'Your password was changed', to: [{ address: email }] });
    expect(notice?.text).not.toContain('API key');
    expect((await rowOf(id)).password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('revokes the keys and pauses the webhooks from before on every process, and says which in its answer and in the mail', async () => {
    const user = await app.createUser();
    const key = await giveKey(user.token, 'agent <b>of</b> an intruder');
    const [hook, idle] = [await giveWebhook(user.id), await giveWebhook(user.id, { active: false })];
    await giveDelivery(hook.id);
    const reply = await redeem('password-reset/confirm', await askForToken(app, mailbox, 'password_reset', user.email));
    expect(reply.body).toEqual({
      reset: true,
      revoked_keys: [{ id: key.id, label: 'agent <b>of</b> an intruder', key_prefix: key.key_prefix }],
      paused_webhooks: [{ id: hook.id, url: hook.url }],
    });
    expect((await app.as(key.key).get('/api/me')).status).toBe(401);
    expect((await twin.as(key.key).get('/api/me')).status).toBe(401);
    expect(await webhooksOf(user.id)).toEqual([
      { id: hook.id, active: false },
      { id: idle.id, active: false },
    ]);
    const deliveries = await app.services.db.selectFrom('webhook_deliveries').select('status').execute();
    expect(deliveries).toEqual([{ status: 'failed' }]);
    const [notice] = await mailbox();
    expect(notice?.text).toContain(`> agent <b>of</b> an intruder (${key.key_prefix}…)`);
    expect(notice?.text).toContain(`> ${hook.url}`);
    expect(notice?.html).toContain('agent &lt;b&gt;of&lt;/b&gt; an intruder');
    expect(notice?.text).not.toContain(idle.url);
    const jobs = await app.database.pool.query('select data::text as text from pgboss.job');
    expect(JSON.stringify(jobs.rows)).not.toContain('of an intruder');
  });

  test('disconnects the applications from before, and says which in its answer and in the mail', async () => {
    const user = await app.createUser();
    const id = await connectApplication(app.services, user);
    const reply = await redeem('password-reset/confirm', await askForToken(app, mailbox, 'password_reset', user.email));
    expect(reply.body).toEqual({ reset: true, disconnected_applications: [{ id, name: secretOf(user) }] });
    expect((await mailbox())[0]?.text).toContain(`> ${secretOf(user)}`);
  });

  test('leaves keys and webhooks of a proved address with {"keys": false}, and says nothing of them', async () => {
    const user = await app.createUser();
    const { key } = await giveKey(user.token, 'mine');
    const hook = await giveWebhook(user.id);
    const token = await askForToken(app, mailbox, 'password_reset', user.email);
    const reply = await post('password-reset/confirm', { token, password: 'another long password', keys: false });
    expect(reply.body).toEqual({ reset: true });
    expect([await statusOf(user.token), await statusOf(key)]).toEqual([401, 200]);
    expect(await webhooksOf(user.id)).toEqual([{ id: hook.id, active: true }]);
  });

  test('a webhook cannot be switched on again by a request that was under way with a session that ended', async () => {
    const user = await app.createUser();
    const hook = await giveWebhook(user.id);
    const change = slowChange(user.token, hook.id);
    await change.begun;
    await redeem('password-reset/confirm', await askForToken(app, mailbox, 'password_reset', user.email));
    expect(await change.end('{"active":true}')).toBe(401);
    expect(await webhooksOf(user.id)).toEqual([{ id: hook.id, active: false }]);
  });

  test.each([
    ['password123', 'one of the most common'],
    ['PassWord123', 'whatever its letter case'],
    ['{address}', 'the address'],
    ['{name}', 'the part before the @'],
  ])('400 for %s (%s), and the token is still good', async (bad) => {
    const user = await app.createUser();
    const token = await askForToken(app, mailbox, 'password_reset', user.email);
    const chosen = bad.replace('{address}', user.email).replace('{name}', user.email.split('@')[0] ?? '');
    const refused = await post('password-reset/confirm', { token, password: chosen });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error']);
    expect(refused.body.error.details.errors).toEqual([
      { path: '/body/password', message: expect.any(String), reason: 'guessable' },
    ]);
    expect((await redeem('password-reset/confirm', token)).status).toBe(200);
  });

  test('of an address that was never proved ends the keys too, and proves it', async () => {
    const { email, token } = await register();
    const { key } = (await app.as(token).post('/api/api-keys', { name: 'mine' })).body;
    await redeem('password-reset/confirm', await askForToken(app, mailbox, 'password_reset', email));
    expect(await statusOf(key)).toBe(401);
    const { body } = await post('login', { email, password: 'another long password' });
    expect(body.user.verified).toBe(true);
    const link = await askForToken(app, mailbox, 'magic_link', email);
    expect((await post('magic-link/verify', { token: link })).status).toBe(200);
    expect((await post('login', { email, password: 'another long password' })).status).toBe(200);
  });

  test('400 for a password that is too short or too long, and the token is still good', async () => {
    const user = await app.createUser();
    const token = await askForToken(app, mailbox, 'password_reset', user.email);
    for (const bad of ['short', 'x'.repeat(129)])
      expect((await post('password-reset/confirm', { token, password: bad })).status).toBe(400);
    expect((await redeem('password-reset/confirm', token)).status).toBe(200);
  });

  test('a token that is worthless costs no hashing', async () => {
    const hash = vi.spyOn(app.services.passwords, 'hash');
    await redeem('password-reset/confirm', 'A'.repeat(43));
    expect(hash).not.toHaveBeenCalled();
    hash.mockRestore();
  });
});

describe('the proof of an address', () => {
  test('registering mails it; it proves the address once and leaves password, session and keys', async () => {
    const { email, token, proof } = await register();
    const { key } = (await app.as(token).post('/api/api-keys', { name: 'mine' })).body;
    expect((await app.as(token).get('/api/me')).body.user.verified).toBe(false);
    const reply = await post('verify-email', { token: proof });
    expect([reply.status, reply.body.user.verified]).toEqual([200, true]);
    expect((await app.as(token).get('/api/me')).body.user.verified).toBe(true);
    expect(await statusOf(key)).toBe(200);
    expect((await post('login', { email, password })).status).toBe(200);
    expect((await post('verify-email', { token: proof })).status).toBe(400);
  });

  test('a registration that is refused mails nothing', async () => {
    const user = await app.createUser();
    expect((await post('register', { email: user.email, password })).status).toBe(409);
    expect(await mailbox()).toEqual([]);
  });

  test('can be asked for again, and only the newest week of it is good', async () => {
    const { token, proof } = await register();
    const reply = await app.as(token).post('/api/auth/verify-email/resend');
    expect(reply.body).toEqual({ sent: true, message: expect.any(String) });
    const [mail] = await mailbox();
    expect(readLink(mail)).toMatchObject({ purpose: 'verify_email' });
    offsetMs += 7 * DAY_MS;
    expect((await post('verify-email', { token: proof })).status).toBe(400);
  });

  test('nothing is sent where the address is proved already, also when it is proved meanwhile', async () => {
    const { token, proof, id } = await register();
    await app.as(token).post('/api/auth/verify-email/resend');
    await post('verify-email', { token: proof });
    expect(await mailbox()).toEqual([]);
    const user = { id, token, email: '', role: 'user' };
    expect((await app.as(user).post('/api/auth/verify-email/resend')).body).toMatchObject({ sent: false });
    expect(await mailbox()).toEqual([]);
  });

  test('the mail is in the language of the registration', async () => {
    const email = freshAddress();
    await app.as().post('/api/auth/register', { email, password }, { headers: { 'Accept-Language': 'de' } });
    const [mail] = await mailbox();
    expect(mail?.subject).toBe('Bitte bestätigen Sie Ihre E-Mail-Adresse');
  });
});

test('a request is answered once, however often its job runs', async () => {
  const user = await app.createUser();
  await post('magic-link', { email: user.email });
  const [job] = await workers.take('mail-account-link');
  const { mailAccountLink } = await import('../../../workers/mail-account-link.ts');
  const context = { signal: new AbortController().signal, log: undefined as never, jobId: 'none', attempt: 0 };
  const outcomes = [];
  for (let run = 0; run < 2; run += 1)
    outcomes.push(await mailAccountLink(workers.services, job?.data ?? { request_id: '' }, context));
  expect(outcomes).toEqual([{ mailed: 'magic-link' }, { skipped: expect.any(String) }]);
  expect(await mailbox()).toHaveLength(1);
});
