import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

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

test('a key that its process took to its grave is free after a minute', async () => {
  const user = await app.createUser();
  const first = await create(user.token, 'k5', { name: 'agent' });
  expect(first.status).toBe(201);
  await app.database.pool.query(`update idempotency_keys set status = null, body = null where key = 'k5'`);
  expect((await create(user.token, 'k5', { name: 'agent' })).status).toBe(409);
  await app.database.pool.query(
    `update idempotency_keys set locked_until = now() - interval '1 second' where key = 'k5'`,
  );
  const again = await create(user.token, 'k5', { name: 'agent' });
  expect(again.body.error.code).toBe('duplicate_listing');
});
