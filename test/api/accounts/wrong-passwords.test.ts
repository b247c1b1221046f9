import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccountToken, type Purpose } from '../../../shared/accounts/account-tokens.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/kit/clock.ts';
import { startApp, type Reply, type TestApp } from '../../support/app.ts';
import { freshAddress, password } from './links.ts';

let nowMs = Date.parse('2026-05-01T12:00:10Z');
const clock = { now: () => new Date(nowMs) };
let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '1', TRUST_PROXY: '1' } });
  twin = await app.twin();
});
afterAll(async () => {
  await twin.close();
  await app.close();
});

let addresses = 0;
/** An address that nobody has come from before. */
const freshNetwork = () => {
  addresses += 1;
  return `198.${18 + (addresses >> 16)}.${(addresses >> 8) & 255}.${addresses & 255}`;
};
const post = (path: string, body: unknown, from = freshNetwork(), at = app) =>
  at.as().post(`/api/auth/${path}`, body, { headers: { 'X-Forwarded-For': from } });
const logIn = (email: string, given: string, from?: string, at?: TestApp) =>
  post('login', { email, password: given }, from, at);
const register = async () => {
  const account = { email: freshAddress(), home: freshNetwork() };
  const { status, body } = await post('register', { email: account.email, password }, account.home);
  expect(status).toBe(201);
  return { ...account, id: body.user.id as string };
};
/** Tries of one wrong password after the other, each from an address of its own, on both processes in turn. */
const attack = async (email: string, tries = 60) => {
  const replies: Reply[] = [];
  for (let i = 0; i < tries; i += 1)
    replies.push(await logIn(email, `wrong password ${i}`, freshNetwork(), i % 2 ? app : twin));
  return replies;
};
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status);
const tokenOf = (purpose: Purpose, user: { id: string; email: string }) =>
  createAccountToken(app.services.db, { purpose, user }, clock.now());

describe('wrong passwords of one account, however many addresses they come from', () => {
  test('10 an hour are answered 401 and the rest 429 with Retry-After, the right one after them too', async () => {
    const { email } = await register();
    const replies = await attack(email);
    expect(statusesOf(replies)).toEqual([...Array(10).fill(401), ...Array(50).fill(429)]);
    const right = await logIn(email, password);
    expect([right.status, right.body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(right.headers.get('retry-after'))).toBe(3_590);
    expect(right.headers.get('x-ratelimit-policy')).toBe('10;w=3600;name="wrong_passwords"');
  });

  test('40 at once are 10 as well, and the right one after them opens nothing', async () => {
    const { email } = await register();
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) => logIn(email, `wrong password ${i}`, freshNetwork(), i % 2 ? app : twin)),
    );
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(30);
    expect((await logIn(email, password)).status).toBe(429);
  });

  test('whether the address has an account or not, every answer is the same', async () => {
    const { email } = await register();
    const shown = (replies: Reply[]) =>
      replies.map(({ status, text, headers }) => [status, text, headers.get('retry-after')]);
    expect(shown(await attack(email, 15))).toEqual(shown(await attack(freshAddress(), 15)));
  });

  test('the letter case of the address makes no second account to try', async () => {
    const { email } = await register();
    await attack(email.toUpperCase(), 10);
    expect((await logIn(email, 'wrong password')).status).toBe(429);
  });

  test('an hour later there are 10 more', async () => {
    const { email } = await register();
    await attack(email, 11);
    nowMs += HOUR_MS;
    expect((await logIn(email, password)).status).toBe(200);
  });
});

describe('the owner is never locked out', () => {
  test('where they have registered or logged in before, the attack does not count', async () => {
    const owner = await register();
    const office = freshNetwork();
    expect((await logIn(owner.email, password, office)).status).toBe(200);
    await attack(owner.email, 12);
    expect((await logIn(owner.email, password, owner.home, twin)).status).toBe(200);
    expect((await logIn(owner.email, password, office, twin)).status).toBe(200);
  });

  test('such an address has 10 wrong passwords an hour of its own', async () => {
    const owner = await register();
    const replies: Reply[] = [];
    for (let i = 0; i < 10; i += 1) {
      // The address alone has a budget of ten a minute.
      if (i % 5 === 0) nowMs += MINUTE_MS;
      replies.push(await logIn(owner.email, `wrong password ${i}`, owner.home));
    }
    expect(statusesOf(replies)).toEqual(Array(10).fill(401));
    nowMs += MINUTE_MS;
    expect((await logIn(owner.email, password, owner.home)).headers.get('x-ratelimit-policy')).toContain(
      'wrong_passwords',
    );
    expect((await logIn(owner.email, password)).status).toBe(200);
  });

  test('a magic link logs in from a new address in the midst of it, and the password does from there on', async () => {
    const owner = await register();
    await attack(owner.email, 12);
    const hotel = freshNetwork();
    expect((await logIn(owner.email, password, hotel)).status).toBe(429);
    await app.services.db.updateTable('users').set({ verified: true }).where('id', '=', owner.id).execute();
    expect((await post('magic-link/verify', { token: await tokenOf('magic_link', owner) }, hotel)).status).toBe(200);
    expect((await logIn(owner.email, password, hotel)).status).toBe(200);
  });

  test('a reset sets a new password in the midst of it, which logs in from there, and forgets where anybody came from before', async () => {
    const owner = await register();
    await attack(owner.email, 12);
    const hotel = freshNetwork();
    const token = await tokenOf('password_reset', owner);
    const chosen = 'another long password';
    expect((await post('password-reset/confirm', { token, password: chosen }, hotel)).status).toBe(200);
    expect((await logIn(owner.email, chosen, hotel)).status).toBe(200);
    expect((await logIn(owner.email, chosen, owner.home)).status).toBe(429);
  });
});

test('right passwords use nothing up: 30 at once from new addresses log in', async () => {
  const { email } = await register();
  const replies = await Promise.all(Array.from({ length: 30 }, () => logIn(email, password)));
  expect(new Set(statusesOf(replies))).toEqual(new Set([200]));
});

test('nothing of an address or of a network is in a row', async () => {
  const { email, home } = await register();
  await attack(email, 2);
  const { rows } = await app.database.pool.query<{ row: string }>(
    `select to_json(q)::text as row from quota_uses q union all select to_json(n)::text from login_networks n`,
  );
  const stored = rows.map(({ row }) => row).join();
  expect(stored).toContain('wrong_passwords');
  for (const secret of [email, home]) expect(stored).not.toContain(secret);
});

test('in the general profile it is the same', async () => {
  const general = await startApp({ profile: 'general', clock, env: { RATE_LIMIT_MULTIPLIER: '1', TRUST_PROXY: '1' } });
  const email = freshAddress();
  const home = freshNetwork();
  await post('register', { email, password }, home, general);
  const replies = [];
  for (let i = 0; i < 12; i += 1) replies.push(await logIn(email, `wrong password ${i}`, undefined, general));
  expect(statusesOf(replies)).toEqual([...Array(10).fill(401), 429, 429]);
  expect((await logIn(email, password, undefined, general)).status).toBe(429);
  expect((await logIn(email, password, home, general)).status).toBe(200);
  await general.close();
});

test('with RATE_LIMIT_MULTIPLIER=0 nothing is counted', async () => {
  const free = await startApp({ clock, database: app.database });
  const email = freshAddress();
  await post('register', { email, password }, undefined, free);
  const replies = [];
  for (let i = 0; i < 12; i += 1) replies.push(await logIn(email, `wrong password ${i}`, undefined, free));
  expect(statusesOf(replies)).toEqual(Array(12).fill(401));
  expect((await logIn(email, password, undefined, free)).status).toBe(200);
  await free.close();
});
