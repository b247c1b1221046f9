import { expect, test, vi } from 'vitest';
import { startApp, type Reply } from '../../support/app.ts';

/** Stands still, so that no window ends while a test counts in it. */
const clock = { now: () => new Date('2026-05-01T12:00:10Z') };

const statuses = (replies: Reply[], status: number) => replies.filter((reply) => reply.status === status).length;

test('exactly the limit passes over two processes, in parallel and in turn, and the rest gets 429 with Retry-After', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const twin = await app.twin();
  const replies: Reply[] = [];
  for (let i = 0; i < 41; i += 1) replies.push(await (i % 3 ? app : twin).as().get('/api/schema'));
  replies.push(
    ...(await Promise.all(Array.from({ length: 200 }, async (_, i) => (i % 2 ? app : twin).as().get('/api/schema')))),
  );
  expect(statuses(replies, 200)).toBe(200);
  expect(statuses(replies, 429)).toBe(41);
  const refused = replies.find((reply) => reply.status === 429);
  expect(refused?.body).toMatchObject({ error: { code: 'rate_limited' } });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  await twin.close();
  await app.close();
});

test('100 requests by one process and then 101 by another: exactly 200 pass', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const twin = await app.twin();
  let passed = 0;
  for (let i = 0; i < 201; i += 1)
    passed += (await (i < 100 ? app : twin).as().get('/api/schema')).status === 200 ? 1 : 0;
  expect(passed).toBe(200);
  await twin.close();
  await app.close();
});

test('what one process has used up, no other grants once more, however long ago it was asked itself', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const [early, late] = [await app.twin(), await app.twin()];
  const attempt = (at: typeof app) =>
    at.as().post('/api/auth/login', { email: 'a@example.com', password: 'whatever it is' });
  const replies = [await attempt(early)];
  for (let i = 0; i < 9; i += 1) replies.push(await attempt(app));
  expect(statuses(replies, 401)).toBe(10);
  expect(statuses(await Promise.all([attempt(early), attempt(late)]), 429)).toBe(2);
  await early.close();
  await late.close();
  await app.close();
});

test('a budget too large to be used up by hand is counted afterwards, to the last request', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '100' } });
  const replies = await Promise.all(Array.from({ length: 30 }, () => app.as().get('/api/schema')));
  const left = replies.map((reply) => Number(reply.headers.get('x-ratelimit-remaining')));
  expect(Math.min(...left)).toBe(20_000 - 30);
  await vi.waitFor(async () => {
    const { rows } = await app.database.pool.query<{ used: number }>('select used from rate_windows');
    expect(rows).toEqual([{ used: 30 }]);
  });
  await app.close();
});

test('the headers name the budget and count down; the reset is a Unix second', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const user = await app.createUser();
  const first = await app.as(user).get('/api/me');
  const second = await app.as(user).get('/api/me');
  expect(first.headers.get('x-ratelimit-limit')).toBe('600');
  expect(Number(first.headers.get('x-ratelimit-remaining')) - Number(second.headers.get('x-ratelimit-remaining'))).toBe(
    1,
  );
  const reset = Number(first.headers.get('x-ratelimit-reset'));
  expect(reset - clock.now().getTime() / 1_000).toBe(50);
  expect(first.headers.get('x-ratelimit-policy')).toContain('600;w=60');
  await app.close();
});

test('an authenticated caller does not use the budget of the address, and errors carry the headers too', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const user = await app.createUser();
  const before = await app.as().get('/api/schema');
  for (let i = 0; i < 5; i += 1) await app.as(user).get('/api/schema');
  const after = await app.as().get('/api/nowhere');
  expect(after.status).toBe(404);
  expect(Number(before.headers.get('x-ratelimit-remaining')) - Number(after.headers.get('x-ratelimit-remaining'))).toBe(
    1,
  );
  const denied = await app.as('bad').get('/api/me');
  expect(denied.status).toBe(401);
  expect(denied.headers.get('x-ratelimit-limit')).toBe('200');
  await app.close();
});

test('10 logins a minute in the nautical profile; health, discovery and robots are never limited', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const attempt = () => app.as().post('/api/auth/login', { email: 'a@example.com', password: 'whatever it is' });
  const replies = [];
  for (let i = 0; i < 11; i += 1) replies.push(await attempt());
  expect(statuses(replies, 401)).toBe(10);
  expect(statuses(replies, 429)).toBe(1);
  for (const path of ['/health', '/health/db', '/.well-known/ai.json', '/robots.txt']) {
    const reply = await app.as().get(path);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-ratelimit-limit')).toBeNull();
  }
  await app.close();
});

test('the general profile has one budget of 100 a minute for anonymous callers and 300 for others', async () => {
  const app = await startApp({ clock, profile: 'general', env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const user = await app.createUser();
  expect((await app.as().get('/api/schema')).headers.get('x-ratelimit-limit')).toBe('100');
  expect((await app.as(user).get('/api/schema')).headers.get('x-ratelimit-limit')).toBe('300');
  await app.close();
});
