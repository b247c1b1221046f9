import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPayments } from '../../../shared/adapters/payments.ts';
import { readConfig } from '../../../shared/kit/config.ts';
import { deadlinesOf } from '../../../shared/kit/deadlines.ts';
import { startStripeServer, type StripeServer } from '../../support/stripe-server.ts';

let stripe: StripeServer;
beforeAll(async () => {
  stripe = await startStripeServer();
});
afterAll(() => stripe.close());

const order = {
  paymentId: 'pay_1',
  listingId: 'lst_1',
  product: 'Featured listing for 7 days',
  amountCents: 1_900,
  currency: 'EUR',
  paidUrl: 'https://boats.example.com/api/payments/return?listing=ida&paid=true',
  leftUrl: 'https://boats.example.com/api/payments/return?listing=ida&paid=false',
};
const paymentsWith = (env: Record<string, string>, timeoutMs = deadlinesOf(20).payment) => {
  const { payments } = readConfig({ BASE_URL: 'https://boats.example.com', ...env });
  return createPayments({ payments, jwtSecrets: ['a secret of the tests alone'] }, { timeoutMs });
};
const at = (apiBase: string) => ({
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  STRIPE_API_BASE: apiBase,
});

test('the same order gets the same session, and tells the provider nothing but what it needs', async () => {
  const payments = paymentsWith(at(stripe.url));
  const first = await payments.openSession(order);
  expect(await payments.openSession(order)).toEqual(first);
  expect(stripe.sessions).toHaveLength(1);
  expect(stripe.requests[1]).toEqual({ ...stripe.requests[0], telemetry: undefined });
  expect(stripe.requests[0]?.params).toEqual({
    mode: 'payment',
    client_reference_id: 'pay_1',
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'eur',
    'line_items[0][price_data][unit_amount]': '1900',
    'line_items[0][price_data][product_data][name]': 'Featured listing for 7 days',
    'metadata[payment_id]': 'pay_1',
    'metadata[listing_id]': 'lst_1',
    'payment_intent_data[metadata][payment_id]': 'pay_1',
    'payment_intent_data[metadata][listing_id]': 'lst_1',
    success_url: order.paidUrl,
    cancel_url: order.leftUrl,
  });
});

test('no session when nobody answers, when nobody is there, and for any answer without one; what failed is told without secrets', async () => {
  const asked = (apiBase: string, timeoutMs?: number) => paymentsWith(at(apiBase), timeoutMs).openSession(order);
  stripe.feel('hangs');
  await expect(asked(stripe.url, 100)).rejects.toMatchObject({ name: 'NoSession', isFinal: false });
  await expect(asked('http://127.0.0.1:9')).rejects.toMatchObject({ name: 'NoSession', isFinal: false });
  stripe.feel({ status: 200, message: 'no session at all' });
  await expect(asked(stripe.url)).rejects.toMatchObject({ name: 'NoSession' });
  for (const [status, isFinal] of [
    [400, true],
    [401, true],
    [409, false],
    [429, false],
    [500, true],
  ] as const) {
    stripe.feel({ status, message: 'Invalid API Key provided: sk_test_1' });
    const refusal = { name: 'NoSession', isFinal, message: expect.not.stringContaining('sk_test') };
    await expect(asked(stripe.url)).rejects.toMatchObject(refusal);
  }
});

test('without a provider the session of an order is always the same, and that of another order another', async () => {
  const payments = paymentsWith({});
  const { id } = await payments.openSession(order);
  expect(id).toMatch(/^stub_[\w-]{43}$/);
  expect(await payments.openSession(order)).toEqual({ id, url: undefined });
  expect((await payments.openSession({ ...order, paymentId: 'pay_2' })).id).not.toBe(id);
});

test('prices are configuration; a bad one is named', () => {
  const { payments } = readConfig({ PREMIUM_URGENT_7_CENTS: '1234' });
  expect(payments.pricesInCents).toEqual({ featured: { 7: 1_900, 30: 4_900 }, urgent: { 7: 1_234, 30: 2_400 } });
  expect(() => readConfig({ PREMIUM_FEATURED_30_CENTS: '0' })).toThrow(/^PREMIUM_FEATURED_30_CENTS: /);
});
