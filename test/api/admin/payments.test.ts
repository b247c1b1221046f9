import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPayments } from '../../../shared/adapters/payments.ts';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { createPayment } from '../../support/recipes/premium.ts';
import { startStripeServer } from '../../support/stripe-server.ts';

let app: TestApp;
let admin: Client;
let buyer: TestUser;
beforeAll(async () => {
  app = await startApp();
  admin = app.as(await app.createUser({ role: 'admin' }));
  buyer = await app.createUser({ name: 'Bruno Buyer', email: 'bruno@buyers.example' });
});
afterAll(() => app.close());

const refund = (id: string) => admin.post(`/api/admin/payments/${id}/refund`);
const premiumOf = async (id: string) => (await app.as().get(`/api/listings/${id}/premium`)).body.type;

test('a payment is found by its buyer, given back once, ends what it has promoted, and counts in the revenue', async () => {
  const id = await createPayment(app.services, buyer);
  const { listing_id: listing } = (await app.database.pool.query('select listing_id from payments where id = $1', [id]))
    .rows[0];
  await app.database.pool.query(
    `update listings set premium_type = 'featured', premium_until = now() + interval '7 days' where id = $1`,
    [listing],
  );
  for (const q of ['bruno@buy', id, listing]) {
    const { body } = await admin.get(`/api/admin/payments?q=${q}&status=completed`);
    expect(body.results, q).toMatchObject([{ id, buyer: { email: 'bruno@buyers.example' }, status: 'completed' }]);
  }
  const { status, body } = await refund(id);
  expect({ status, is: body.status }).toEqual({ status: 200, is: 'refunded' });
  expect(await premiumOf(listing)).toBe('none');
  expect((await refund(id)).status).toBe(409);
  expect((await refund('pay_none')).status).toBe(404);
  const { mode, months } = (await admin.get('/api/admin/payments/revenue')).body;
  expect({ mode, months }).toEqual({
    mode: 'stub',
    months: [
      {
        month: new Date().toISOString().slice(0, 7),
        currency: 'EUR',
        payments: 1,
        paid_cents: body.amount_cents,
        refunds: 1,
        refunded_cents: body.amount_cents,
      },
    ],
  });
});

test('the provider is asked under the id of the payment; while it refuses, nothing has changed', async () => {
  const stripe = await startStripeServer();
  const stub = app.services.payments;
  const { payments } = app.services.config;
  app.services.payments = createPayments({
    ...app.services.config,
    payments: { ...payments, stripe: { secretKey: 'sk_test_of_the_tests', apiBase: stripe.url } },
  });
  try {
    const id = await createPayment(app.services, buyer);
    await app.database.pool.query(
      `update payments set mode = 'payment', payment_intent = 'pi_of_the_tests' where id = $1`,
      [id],
    );
    stripe.feel({ status: 402, message: 'Insufficient funds.' });
    expect((await refund(id)).status).toBe(503);
    expect((await admin.get(`/api/admin/payments?q=${id}`)).body.results[0].status).toBe('completed');
    stripe.feel('answers');
    expect((await refund(id)).body.status).toBe('refunded');
    expect(stripe.requests.at(-1)).toMatchObject({
      idempotencyKey: `refund:${id}`,
      params: { payment_intent: 'pi_of_the_tests', 'metadata[payment_id]': id },
    });
  } finally {
    app.services.payments = stub;
    await stripe.close();
  }
});

test('what was paid through a provider that is not configured any more is 409', async () => {
  const id = await createPayment(app.services, buyer);
  await app.database.pool.query(`update payments set mode = 'payment', payment_intent = 'pi_old' where id = $1`, [id]);
  expect((await refund(id)).status).toBe(409);
});
