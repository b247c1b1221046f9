import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signUnsubscribe } from '../../../shared/accounts/unsubscribe-token.ts';
import { DAY_MS } from '../../../shared/kit/clock.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let now = new Date('2026-03-01T10:00:00Z');
beforeAll(async () => {
  app = await startApp({ clock: { now: () => now } });
  workers = await startWorkers(app);
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

const subscribe = (email: string, path = '/api/newsletter/subscribe') => app.as().post(path, { email });
const unsubscribe = (token: string) => app.as().post('/api/newsletter/unsubscribe', { token });
const count = async () => (await app.as().get('/api/newsletter/count')).body.count as number;
const welcomes = async () => (await workers.take('send-email')).map(({ data }) => data);
const idOf = async (email: string) => {
  const { rows } = await app.database.pool.query<{ id: string }>(
    'select id from newsletter_subscribers where email = $1',
    [email],
  );
  return rows[0]?.id ?? '';
};
const tokenOf = async (email: string) =>
  signUnsubscribe(app.services.config.jwtSecrets, { kind: 'newsletter', id: await idOf(email) });

test('an address counts once, in whatever letter case and however often it is sent, and the answer is the same', async () => {
  const before = await count();
  const answers = [];
  for (const email of ['ada@example.com', ' Ada@Example.com'.trim(), 'ada@example.com'])
    answers.push(await subscribe(email));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers[0]?.body).toEqual({ subscribed: true, message: expect.any(String) });
  expect(await count()).toBe(before + 1);
  expect(await welcomes()).toHaveLength(1);
});

test('twenty at once are one subscriber and one mail', async () => {
  const before = await count();
  await Promise.all(Array.from({ length: 20 }, () => subscribe('many@example.com')));
  expect(await count()).toBe(before + 1);
  expect(await welcomes()).toHaveLength(1);
});

test('the mail of welcome comes in the language of the request and is unsubscribed by the token of its link', async () => {
  const before = await count();
  await subscribe('hilde@example.com', '/api/newsletter/subscribe?lang=de');
  expect(await workers.work('send-email')).toMatchObject([{ status: 'completed' }]);
  const folder = join(app.dataDir, 'outbox');
  const mail = await PostalMime.parse(readFileSync(join(folder, readdirSync(folder).at(-1) ?? '')));
  expect(mail.to).toEqual([{ name: '', address: 'hilde@example.com' }]);
  expect(mail.html).toContain('lang="de"');
  const header = (key: string) => mail.headers.find((each) => each.key === key)?.value;
  const link = /^<(.+)>$/.exec(header('list-unsubscribe') ?? '')?.[1] ?? '';
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  expect(link).toMatch(`${app.services.config.baseUrl}/api/unsubscribe?token=newsletter.`);
  expect(mail.text).toContain(link.replace('/api/unsubscribe', '/unsubscribe'));

  const { status, body } = await unsubscribe(new URL(link).searchParams.get('token') ?? '');
  expect({ status, body }).toEqual({ status: 200, body: { unsubscribed: true } });
  expect(await count()).toBe(before);
});

test('whoever has left before the mail is sent gets none', async () => {
  await subscribe('gone@example.com');
  await unsubscribe(await tokenOf('gone@example.com'));
  expect(await workers.work('send-email')).toMatchObject([
    { status: 'completed', output: { skipped: 'the recipient has unsubscribed' } },
  ]);
});

test('whoever has left can come back; leaving twice changes nothing', async () => {
  const email = 'back@example.com';
  await subscribe(email);
  const before = await count();
  const token = await tokenOf(email);
  expect((await unsubscribe(token)).status).toBe(200);
  expect((await unsubscribe(token)).status).toBe(200);
  expect(await count()).toBe(before - 1);
  await subscribe(email);
  expect(await count()).toBe(before);
  await unsubscribe(token);
  expect(await count()).toBe(before - 1);
});

test('one address is welcomed three times a day at most, and again the next day', async () => {
  const email = 'restless@example.com';
  await welcomes();
  for (let round = 1; round <= 5; round += 1) {
    await subscribe(email);
    await unsubscribe(await tokenOf(email));
  }
  expect(await welcomes()).toHaveLength(3);
  now = new Date(now.getTime() + DAY_MS);
  await subscribe(email);
  expect(await welcomes()).toHaveLength(1);
});

test('no job and no journal holds an address', async () => {
  await subscribe('secret@example.com');
  const { rows } = await app.database.pool.query<{ data: unknown }>(
    `select data from pgboss.job where name = 'send-email'`,
  );
  expect(JSON.stringify(rows)).not.toContain('@');
});

test.each([
  ['nothing that was signed', () => 'newsletter.abc.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  [
    'a token of another kind',
    () => signUnsubscribe(app.services.config.jwtSecrets, { kind: 'notifications', id: 'usr_1' }),
  ],
  ['a token under another secret', () => signUnsubscribe(['guessed'], { kind: 'newsletter', id: 'abc' })],
])('400 for %s', async (_name, token) => {
  const { status, body } = await unsubscribe(token());
  expect({ status, error: body.error }).toMatchObject({ status: 400, error: { code: 'validation_error' } });
});

test('a genuine token of a subscriber who is forgotten is answered like any other', async () => {
  const token = signUnsubscribe(app.services.config.jwtSecrets, { kind: 'newsletter', id: 'a'.repeat(32) });
  expect((await unsubscribe(token)).body).toEqual({ unsubscribed: true });
});

test.each(['', 'nobody', 'a@b@c', 'x'.repeat(250) + '@example.com', 'a\r\nBcc: b@example.com'])(
  '400 for the address %j',
  async (email) => {
    expect((await subscribe(email)).status).toBe(400);
  },
);
