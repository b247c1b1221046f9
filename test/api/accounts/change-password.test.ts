import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { RATE_LIMIT_MULTIPLIER: '1' } });
});
afterAll(() => app.close());

const OLD = 'five-gulls-over-flensburg';
const NEW = 'seven-seals-off-sylt';
let people = 0;

async function register() {
  const email = `person${(people += 1)}@example.com`;
  const { body } = await app.as().post('/api/auth/register', { email, password: OLD });
  return { email, token: body.token as string };
}
const change = (token: string, body: Record<string, unknown>) => app.as(token).post('/api/auth/password', body);
const login = async (email: string, password: string) =>
  (await app.as().post('/api/auth/login', { email, password })).status;

test('200: the new password opens the account, the old one and every earlier session do not, the session in the answer does', async () => {
  const { email, token } = await register();
  const twin = await app.twin();
  const { status, body } = await change(token, { current: OLD, new: NEW });
  expect([status, body.changed]).toEqual([200, true]);
  expect([await login(email, OLD), await login(email, NEW)]).toEqual([401, 200]);
  expect((await twin.as(token).get('/api/me')).status).toBe(401);
  expect((await twin.as(body.token).get('/api/me')).status).toBe(200);
  await twin.close();
});

test('keys stay unless they are to end; the owner is told of the change by mail, with those that ended', async () => {
  const { token } = await register();
  const { body: key } = await app.as(token).post('/api/api-keys', { name: 'agent' });
  const first = await change(token, { current: OLD, new: NEW });
  expect(first.body).not.toHaveProperty('revoked_keys');
  expect((await app.as(key.key).get('/api/me')).status).toBe(200);
  const second = await change(first.body.token, { current: NEW, new: OLD, keys: true });
  expect(second.body.revoked_keys).toEqual([expect.objectContaining({ id: key.id })]);
  expect((await app.as(key.key).get('/api/me')).status).toBe(401);
  const { rows } = await app.database.pool.query(
    `select data -> 'data' -> 'key_ids' as keys from pgboss.job where name = 'send-email' and data ->> 'template' = 'password-changed' order by created_on`,
  );
  expect(rows.at(-1)).toEqual({ keys: [key.id] });
});

test('400 that names the field for a wrong present password and for a new one that would soon be guessed; nothing ends', async () => {
  const { email, token } = await register();
  const wrong = await change(token, { current: 'not this one', new: NEW });
  const weak = await change(token, { current: OLD, new: 'password123' });
  expect([wrong.status, wrong.body.error.details.errors[0].path]).toEqual([400, '/body/current']);
  expect([weak.status, weak.body.error.details.errors[0].path]).toEqual([400, '/body/new']);
  expect((await app.as(token).get('/api/me')).status).toBe(200);
  expect(await login(email, OLD)).toBe(200);
});

test('429 after ten wrong ones in an hour, also for the right one then', async () => {
  const { token } = await register();
  const statuses: number[] = [];
  for (let i = 0; i < 11; i += 1) statuses.push((await change(token, { current: `wrong ${i}`, new: NEW })).status);
  expect(statuses).toEqual([...Array(10).fill(400), 429]);
  expect((await change(token, { current: OLD, new: NEW })).status).toBe(429);
});

test('403 for an API key, also one that may do all else', async () => {
  const { token } = await register();
  const { body: key } = await app.as(token).post('/api/api-keys', { name: 'agent' });
  expect((await change(key.key, { current: OLD, new: NEW })).status).toBe(403);
});
