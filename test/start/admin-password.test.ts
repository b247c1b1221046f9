import { expect, test } from 'vitest';
import { createAccountToken } from '../../shared/accounts/account-tokens.ts';
import { createPasswords } from '../../shared/accounts/password.ts';
import { startApp } from '../support/app.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { makeTestFolder } from '../support/folders.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const email = 'harbour.master@example.com';

const environment = (database: TestDatabase, password: string) => ({
  DATABASE_URL: database.url,
  DATA_DIR: makeTestFolder(),
  JWT_SECRET: 'a secret of the tests alone',
  ADMIN_EMAIL: email,
  ADMIN_PASSWORD: password,
  RATE_LIMIT_MULTIPLIER: '0',
});

/** A real API process of an operator with this ADMIN_PASSWORD, once it serves. */
async function startApi(database: TestDatabase, password: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = startProcess('api/main.ts', { ...environment(database, password), PORT: String(port) });
  await eventually(async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true, {
    describe: child.output,
  });
  return { url, stop: () => child.kill('SIGTERM') };
}

/** What every process does before it starts, with this ADMIN_PASSWORD: a real process, to its end. */
async function prepare(database: TestDatabase, password: string): Promise<void> {
  const child = startProcess('shared/boot/migrate-cli.ts', environment(database, password));
  await child.ended;
  expect(child.output()).toContain('The database is up to date.');
}

const post = (url: string, path: string, body: unknown) =>
  fetch(`${url}/api/auth/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The statuses of logging in with each of these passwords. */
const logIn = (url: string, ...passwords: string[]) =>
  Promise.all(passwords.map(async (password) => (await post(url, 'login', { email, password })).status));

/** Chooses a new password with the link of a mail, as a person does. */
async function reset({ db }: TestDatabase, url: string, password: string): Promise<void> {
  const user = await db.selectFrom('users').select(['id', 'email']).executeTakeFirstOrThrow();
  const token = await createAccountToken(db, { purpose: 'password_reset', user }, new Date());
  expect((await post(url, 'password-reset/confirm', { token, password })).status).toBe(200);
}

test('a password that the administrator chose outlives the restart of the API', async () => {
  const database = await cloneDatabase();
  const first = await startApi(database, 'first of the operator');
  expect(await logIn(first.url, 'first of the operator')).toEqual([200]);
  await reset(database, first.url, 'chosen by the person');
  await first.stop();
  const second = await startApi(database, 'first of the operator');
  expect(await logIn(second.url, 'chosen by the person', 'first of the operator')).toEqual([200, 401]);
  await second.stop();
});

test('another ADMIN_PASSWORD is applied once, ends the sessions, and keeps the keys; its text is nowhere', async () => {
  const database = await cloneDatabase();
  const app = await startApp({ database });
  await prepare(database, 'first of the operator');
  const { body } = await app.as().post('/api/auth/login', { email, password: 'first of the operator' });
  const { key } = (await app.as(body.token).post('/api/api-keys', { name: 'mine' })).body;

  await prepare(database, 'second of the operator');
  expect(await logIn(app.url, 'first of the operator', 'second of the operator')).toEqual([401, 200]);
  expect((await app.as(body.token).get('/api/me')).status).toBe(401);
  expect((await app.as(key).get('/api/me')).status).toBe(200);

  await reset(database, app.url, 'chosen by the person');
  await prepare(database, 'second of the operator');
  expect(await logIn(app.url, 'chosen by the person', 'second of the operator')).toEqual([200, 401]);
  const { rows } = await database.pool.query<{ row: string }>('select to_json(u)::text as row from users u');
  expect(rows.map(({ row }) => row).join()).not.toContain('of the operator');
  await app.close();
});

test('an administrator whose applied password is not known keeps the one they have, until ADMIN_PASSWORD is another', async () => {
  const database = await cloneDatabase();
  const app = await startApp({ database });
  const now = new Date();
  const password_hash = await createPasswords().hash('chosen by the person');
  await database.db
    .insertInto('users')
    .values({ id: 'usr_admin', email, name: 'A', role: 'admin', password_hash, created_at: now, updated_at: now })
    .execute();
  await prepare(database, 'first of the operator');
  expect(await logIn(app.url, 'chosen by the person', 'first of the operator')).toEqual([200, 401]);
  await prepare(database, 'second of the operator');
  expect(await logIn(app.url, 'chosen by the person', 'second of the operator')).toEqual([401, 200]);
  await app.close();
});

test('whoever had registered the address before is shut out when it becomes the administrator’s', async () => {
  const database = await cloneDatabase();
  const app = await startApp({ database });
  const { body } = await app.as().post('/api/auth/register', { email, password: 'of a stranger' });
  const { key } = (await app.as(body.token).post('/api/api-keys', { name: 'of a stranger' })).body;
  await prepare(database, 'first of the operator');
  expect(await logIn(app.url, 'of a stranger', 'first of the operator')).toEqual([401, 200]);
  expect((await app.as(body.token).get('/api/me')).status).toBe(401);
  expect((await app.as(key).get('/api/me')).status).toBe(401);
  const row = await database.db.selectFrom('users').select(['role', 'verified']).executeTakeFirstOrThrow();
  expect(row).toEqual({ role: 'admin', verified: true });
  await app.close();
});
