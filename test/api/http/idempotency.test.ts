import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { judgement, startModerationServer } from '../../support/moderation-server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.close();
});

const listing = ({ name, category = 'cruising' }: { name: string; category?: string }) => ({
  title: `Bavaria 37 of ${name}`,
  description: 'A well kept cruising yacht with new sails and a serviced engine.',
  category_id: category,
  condition: 'good',
  price: { amount: 89_000, currency: 'EUR', negotiable: true },
  location: { country: 'DE', city: 'Kiel', shipping: false },
});

const countOf = async (token: string) =>
  (await app.as(token).get('/api/listings?status=all&seller_id=' + (await app.as(token).get('/api/me')).body.user.id))
    .body.pagination.total;

const create = (token: string, key: string, body: { name: string; category?: string }) =>
  app.as(token).post('/api/listings', listing(body), { headers: { 'Idempotency-Key': key } });

test('a repetition gets the same answer and changes nothing', async () => {
  const { token } = await app.createUser();
  const first = await create(token, 'k1', { name: 'agent' });
  const second = await create(token, 'k1', { name: 'agent' });
  expect(first.status).toBe(201);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(second.status).toBe(201);
  expect(second.text).toBe(first.text);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(await countOf(token)).toBe(1);
});

test('422 when the same key comes with another body', async () => {
  const { token } = await app.createUser();
  await create(token, 'k2', { name: 'agent' });
  const reply = await create(token, 'k2', { name: 'another' });
  expect(reply.status).toBe(422);
});

test('409 while the first is under way; of 20 at once one is carried out', async () => {
  const { token } = await app.createUser();
  const replies = await Promise.all(Array.from({ length: 20 }, () => create(token, 'k3', { name: 'agent' })));
  expect(replies.every((reply) => reply.status === 201 || reply.status === 409)).toBe(true);
  expect(await countOf(token)).toBe(1);
});

test('keys of two callers do not meet', async () => {
  const [a, b] = [await app.createUser(), await app.createUser()];
  const first = await create(a.token, 'same', { name: 'agent' });
  const second = await create(b.token, 'same', { name: 'agent' });
  expect(second.status).toBe(201);
  expect(second.body.id).not.toBe(first.body.id);
});

test('a refused request gives its key back', async () => {
  const { token } = await app.createUser();
  expect((await create(token, 'k4', { name: 'agent', category: 'submarines' })).status).toBe(400);
  expect((await create(token, 'k4', { name: 'agent' })).status).toBe(201);
});

test('an answer is kept for 24 hours, and the key means something new after that', async () => {
  const { token } = await app.createUser();
  const first = await create(token, 'k5', { name: 'agent' });
  expect((await app.as(token).delete(`/api/listings/${first.body.id}`)).status).toBe(200);
  const age = (hours: number) =>
    app.database.pool.query(`update idempotency_keys set created_at = now() - make_interval(hours => $1)`, [hours]);
  await age(23);
  expect((await create(token, 'k5', { name: 'agent' })).body.id).toBe(first.body.id);
  await age(25);
  const second = await create(token, 'k5', { name: 'agent' });
  expect(second.status).toBe(201);
  expect(second.body.id).not.toBe(first.body.id);
  expect((await create(token, 'k5', { name: 'agent' })).text).toBe(second.text);
});

test('of 20 at once on two processes one is carried out; the others are 409 or get its answer', async () => {
  const twin = await app.twin();
  const { token } = await app.createUser();
  const post = (api: TestApp) =>
    api.as(token).post('/api/listings', listing({ name: 'agent' }), { headers: { 'Idempotency-Key': 'k6' } });
  const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => post(n % 2 === 0 ? app : twin)));
  const made = replies.filter(({ status }) => status === 201);
  expect(new Set(made.map(({ text }) => text)).size).toBe(1);
  expect(made.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
  const others = replies.filter(({ status }) => status !== 201);
  expect(others.every(({ status, body }) => status === 409 && body.error.code === 'conflict')).toBe(true);
  expect(await countOf(token)).toBe(1);
  await twin.close();
});

test('while moderation is asked the key is taken, and no connection is held', async () => {
  const moderation = await startModerationServer();
  const asking = await startApp({
    database: app.database,
    env: { OPENAI_API_KEY: 'sk-of-the-tests', OPENAI_BASE_URL: moderation.url },
  });
  const { token } = await app.createUser();
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    moderation.reply((response) => {
      answer = () => judgement()(response);
      resolve();
    });
  });
  const post = (name: string) =>
    asking.as(token).post('/api/listings', listing({ name }), { headers: { 'Idempotency-Key': 'k7' } });
  const first = post('agent');
  await asked;
  const { pool } = asking.services;
  expect((await post('agent')).status).toBe(409);
  expect((await post('another')).status).toBe(422);
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
  answer();
  expect((await first).status).toBe(201);
  await asking.close();
  await moderation.close();
});

test('a secret in an answer is given again and stands in clear nowhere but with its webhook', async () => {
  const { token } = await app.createUser();
  const key = 'only the caller knows this key'.replaceAll(' ', '-');
  const body = { url: 'https://hooks.example.com/quayside', events: ['*'] };
  const subscribe = (api: TestApp) =>
    api.as(token).post('/api/webhooks', body, { headers: { 'Idempotency-Key': key } });
  const first = await subscribe(app);
  expect(first.status).toBe(201);
  expect((await subscribe(app)).text).toBe(first.text);
  const { rows } = await app.database.pool.query<{ row: string; body: Buffer }>(
    `select t::text as row, body from idempotency_keys t where operation like 'createWebhook %'`,
  );
  const stored = rows.map((each) => `${each.row} ${each.body.toString('latin1')}`).join();
  expect(rows).toHaveLength(1);
  expect(stored).not.toContain(first.body.secret);
  expect(stored).not.toContain(Buffer.from(first.body.secret).toString('hex'));
  expect(stored).not.toContain(key);

  // A session signed by the old secret is good as long as that is in the list, and so is what it sealed.
  const rotated = await startApp({
    database: app.database,
    env: { JWT_SECRET: 'another secret of the tests,a secret of the tests alone' },
  });
  expect((await subscribe(rotated)).text).toBe(first.text);
  await rotated.close();
});

test('an answer sealed under a secret that is gone is 409, and what it asked for is not done again', async () => {
  const user = await app.createUser();
  expect((await create(user.token, 'k8', { name: 'agent' })).status).toBe(201);
  const renewed = await startApp({
    database: app.database,
    env: { JWT_SECRET: 'a secret that has sealed nothing yet' },
  });
  const token = await renewed.services.tokens.sign({ id: user.id, role: 'user', session_epoch: 0 });
  const again = await renewed.as(token).post('/api/listings', listing({ name: 'agent' }), {
    headers: { 'Idempotency-Key': 'k8' },
  });
  expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
  expect(await countOf(user.token)).toBe(1);
  await renewed.close();
});
