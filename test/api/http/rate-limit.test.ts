import { expect, test, vi } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type Reply, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { waitFor } from '../../support/waiting.ts';

/** Stands still, so that no window ends while a test counts in it. */
const clock = { now: () => new Date('2026-05-01T12:00:10Z') };

const statuses = (replies: Reply[], status: number) => replies.filter((reply) => reply.status === status).length;

test('exactly the limit passes over two processes, in parallel and in turn, and the rest gets 429 with Retry-After', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const twin = await app.twin();
  const replies: Reply[] = [];
  for (let i = 0; i < 41; i += 1) replies.push(await (i % 3 ? app : twin).as().get('/api/schema'));
  // So many at once that they are counted together, and not so many that a busy machine cannot count them in time.
  for (let wave = 0; wave < 8; wave += 1)
    replies.push(
      ...(await Promise.all(Array.from({ length: 25 }, async (_, i) => (i % 2 ? app : twin).as().get('/api/schema')))),
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
  await waitFor(async () => {
    const { rows } = await app.database.pool.query<{ used: number }>('select used from rate_windows');
    expect(rows).toEqual([{ used: 30 }]);
  });
  await app.close();
});

test('however many pass while others of a large budget are counted, they are counted ten times a second', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '100' } });
  const counted = vi.spyOn(app.services.pool, 'query');
  const startedAt = performance.now();
  let asked = 0;
  const counts = () => counted.mock.calls.filter(([query]) => (query as { name?: string }).name === 'rate-window-add');
  while (performance.now() - startedAt < 600 || counts().length === 0) {
    await app.as().get('/api/schema');
    asked += 1;
  }
  expect(counts().length).toBeLessThanOrEqual(Math.ceil((performance.now() - startedAt) / 100));
  counted.mockRestore();
  await waitFor(async () => {
    const { rows } = await app.database.pool.query<{ used: number }>('select used from rate_windows');
    expect(rows).toEqual([{ used: asked }]);
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

test('an unknown address and a method that an address does not have are charged to the caller, like a read', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const user = await app.createUser();
  const stray = (as: TestUser | string | undefined) => [
    () => app.as(as).get('/api/nowhere'),
    () => app.as(as).delete('/api/listings'),
  ];
  const budgets: [TestUser | string | undefined, string][] = [
    [undefined, '200'],
    ['bad', '200'],
    [user, '600'],
  ];
  for (const [as, limit] of budgets) {
    for (const [index, send] of stray(as).entries()) {
      const reply = await send();
      expect(reply.status).toBe(index === 0 ? 404 : 405);
      expect(reply.headers.get('x-ratelimit-limit')).toBe(limit);
      expect(Number(reply.headers.get('x-ratelimit-remaining'))).toBeLessThan(Number(limit));
    }
  }
  const exempt = await app.as().delete('/health');
  expect(exempt.status).toBe(405);
  expect(exempt.headers.get('x-ratelimit-limit')).toBeNull();
  await app.close();
});

test('whom a quota refuses is told of that quota, not of the requests left in the minute', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const user = await app.createUser();
  const replies: Reply[] = [];
  for (let i = 0; i < 11; i += 1) replies.push(await app.as(user).post('/api/listings', listingBody()));
  expect(replies.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 201), 429]);
  expect(replies[9]!.headers.get('x-ratelimit-limit')).toBe('30');
  const { headers } = replies[10]!;
  expect(headers.get('x-ratelimit-limit')).toBe('10');
  expect(headers.get('x-ratelimit-remaining')).toBe('0');
  expect(headers.get('x-ratelimit-policy')).toBe('10;w=86400;name="listing_creation"');
  const reset = Number(headers.get('x-ratelimit-reset'));
  expect(reset).toBe(Date.parse('2026-05-02T00:00:00Z') / 1_000);
  expect(Number(headers.get('retry-after'))).toBe(reset - clock.now().getTime() / 1_000);
  await app.close();
});

test.each([
  ['nautical', '30', [27, 26, 25]],
  ['general', '300', [297, 299, 299]],
] as const)('in the %s profile the keys of a user share one budget, or have one each', async (profile, limit, left) => {
  const app = await startApp({ clock, profile, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const user = await app.createUser();
  const createKey = async (name: string) => (await app.as(user).post('/api/api-keys', { name })).body.key as string;
  const keys = [await createKey('one'), await createKey('two')];
  const replies: Reply[] = [];
  for (const who of [user, ...keys]) replies.push(await app.as(who).delete(`/api/me/favorites/${newId('listing')}`));
  expect(replies.map(({ headers }) => headers.get('x-ratelimit-limit'))).toEqual(Array(3).fill(limit));
  expect(replies.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))).toEqual(left);
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
