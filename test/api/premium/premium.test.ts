import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPayments } from '../../../shared/adapters/payments.ts';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { signedBy } from '../../support/recipes/premium.ts';
import { startStripeServer, type StripeServer } from '../../support/stripe-server.ts';
import { waitFor } from '../../support/waiting.ts';
import { times } from '../../support/lane.ts';

const SECRET = 'whsec_canary_of_the_webhook';
const KEY = 'sk_test_canary_of_the_key';
const DAY = 86_400_000;
const start = Date.UTC(2026, 2, 1, 12);

let at = start;
let count = 0;
const clock = { now: () => new Date(at) };
let stripe: StripeServer;
let app: TestApp;
let owner: TestUser;
let me: Client;
beforeAll(async () => {
  stripe = await startStripeServer();
  app = await startApp({
    clock,
    env: { STRIPE_SECRET_KEY: KEY, STRIPE_WEBHOOK_SECRET: SECRET, STRIPE_API_BASE: stripe.url },
  });
  owner = await app.createUser({ name: 'Olga Owner' });
  me = app.as(owner);
});
afterAll(async () => {
  await app.close();
  await stripe.close();
});
beforeEach(() => {
  count += 1;
  at = start + count * 1_000;
  stripe.feel('answers');
  stripe.requests.length = 0;
  stripe.sessions.length = 0;
});

async function activeListing(): Promise<string> {
  const { body } = await me.post('/api/listings', listingBody());
  expect((await me.post(`/api/listings/${body.id}/publish`)).status).toBe(200);
  return body.id;
}
const checkout = (id: string, plan = 'featured', duration = 7) =>
  me.post(`/api/listings/${id}/premium/checkout`, { plan, duration });
const premiumOf = async (id: string) => (await app.as().get(`/api/listings/${id}/premium`)).body;
const none = { type: 'none', until: null, active: false };
const until = (type: string, days: number, from = at) => ({
  type,
  until: new Date(from + days * DAY).toISOString(),
  active: true,
});
/** A checkout for which the provider has half a second, and another half for a second try. */
async function checkoutInHaste(id: string) {
  const { payments } = app.services;
  app.services.payments = createPayments(app.services.config, { timeoutMs: 500 });
  const reply = await checkout(id);
  app.services.payments = payments;
  return reply;
}
const paymentOf = async (sessionId: string) =>
  (await app.database.pool.query('select * from payments where session_id = $1', [sessionId])).rows[0];

type Event = { id: string; type: string; data: { object: Record<string, unknown> } };
const eventOf = (type: string, object: Record<string, unknown>): Event => ({
  id: `evt_${randomUUID()}`,
  type,
  data: { object },
});
/** As Stripe tells of it: the session, and what we wrote into it. */
function completed(sessionId: string, fields: Record<string, unknown> = {}): Event {
  const params = stripe.sessions.find(({ id }) => id === sessionId)?.params ?? {};
  return eventOf('checkout.session.completed', {
    id: sessionId,
    object: 'checkout.session',
    payment_status: 'paid',
    payment_intent: `pi_${sessionId}`,
    amount_total: Number(params['line_items[0][price_data][unit_amount]']),
    currency: params['line_items[0][price_data][currency]'],
    metadata: { payment_id: params['metadata[payment_id]'] },
    ...fields,
  });
}
const refunded = (sessionId: string, fields: Record<string, unknown> = {}) =>
  eventOf('charge.refunded', {
    object: 'charge',
    payment_intent: `pi_${sessionId}`,
    amount: 1_900,
    amount_refunded: 1_900,
    refunded: true,
    ...fields,
  });
function deliver(event: unknown, { to = app, secret = SECRET, time = at } = {}) {
  const raw = typeof event === 'string' ? event : JSON.stringify(event, undefined, 2);
  const headers = signedBy(secret, raw, Math.floor(time / 1_000));
  return to.as().request('POST', '/api/payments/webhook', { raw, headers });
}
async function buy(id: string, plan = 'featured', duration = 7): Promise<string> {
  const { body } = await checkout(id, plan, duration);
  expect((await deliver(completed(body.session_id))).status).toBe(200);
  return body.session_id;
}

describe('a checkout', () => {
  test('is opened at the provider for what the plan costs, and promotes nothing yet', async () => {
    const id = await activeListing();
    const { status, body } = await checkout(id, 'urgent', 30);
    expect({ status, body }).toEqual({
      status: 200,
      body: { checkout_url: stripe.sessions[0]?.url, session_id: stripe.sessions[0]?.id, mode: 'payment' },
    });
    const payment = await paymentOf(body.session_id);
    expect(stripe.requests).toEqual([
      {
        authorization: `Bearer ${KEY}`,
        idempotencyKey: payment.id,
        params: expect.objectContaining({
          mode: 'payment',
          client_reference_id: payment.id,
          'line_items[0][price_data][unit_amount]': '2400',
          'line_items[0][price_data][currency]': 'eur',
          'metadata[payment_id]': payment.id,
          'payment_intent_data[metadata][payment_id]': payment.id,
        }),
      },
    ]);
    expect(payment).toMatchObject({ listing_id: id, user_id: owner.id, status: 'open', amount_cents: 2_400 });
    const { success_url = '', cancel_url = '' } = stripe.sessions[0]?.params ?? {};
    const shown = [success_url, cancel_url].map((url) => app.as().get(url.slice(app.url.length)));
    const [paid, left] = (await Promise.all(shown)).map(({ text }) => text);
    expect(paid).toContain('Thank you');
    expect(left).toContain('Nothing was paid');
    expect(paid).toContain(`href="${app.url}/listings/${payment.listing_slug}"`);
    expect(await premiumOf(id)).toEqual(none);
  });

  test.each(['draft', 'paused', 'sold', 'expired', 'flagged'])('409 for a listing that is %s', async (status) => {
    const id = await activeListing();
    await app.database.pool.query('update listings set status = $2 where id = $1', [id, status]);
    expect((await checkout(id)).status).toBe(409);
    expect(stripe.requests).toEqual([]);
  });

  test('403 for the listing of somebody else, 404 for none, 400 for another plan or duration', async () => {
    const id = await activeListing();
    const stranger = app.as(await app.createUser());
    const wish = { plan: 'featured', duration: 7 };
    expect((await stranger.post(`/api/listings/${id}/premium/checkout`, wish)).status).toBe(403);
    expect((await me.post('/api/listings/none-such/premium/checkout', wish)).status).toBe(404);
    for (const body of [{}, { ...wish, plan: 'none' }, { ...wish, duration: 14 }, { ...wish, duration: '7' }])
      expect((await me.post(`/api/listings/${id}/premium/checkout`, body)).status).toBe(400);
  });

  test('503 when the provider refuses, whatever it says; its words and our key are in no log', async () => {
    const log = vi.spyOn(app.services.log, 'error');
    const id = await activeListing();
    for (const status of [400, 401, 402, 429, 500]) {
      stripe.feel({ status, message: `Invalid API Key provided: ${KEY}` });
      const { status: answered, body } = await checkout(id);
      expect([answered, body.error.code]).toEqual([503, 'service_unavailable']);
      expect(JSON.stringify(body)).not.toContain('canary');
    }
    const logged = log.mock.calls.map(([fields]) => {
      const { err } = fields as { err: Error };
      return `${JSON.stringify(fields)} ${err.message} ${JSON.stringify(err)} ${err.stack}`;
    });
    expect(logged).toHaveLength(5);
    expect(logged.join('\n')).not.toContain('canary');
    expect(logged[1]).toContain('StripeAuthenticationError, status 401');
    log.mockRestore();
    expect(await premiumOf(id)).toEqual(none);
    stripe.feel('answers');
    expect((await checkout(id)).status).toBe(200);
    // Stripe keeps its refusals under their keys, but for that of too many requests.
    expect(new Set(stripe.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(5);
  });

  test('after a timeout the same key is used again: one session, though the provider had made it', async () => {
    const id = await activeListing();
    stripe.feel('hangs afterwards');
    expect((await checkoutInHaste(id)).status).toBe(503);
    expect(stripe.requests).toHaveLength(2);
    stripe.feel('answers');
    const { status, body } = await checkout(id);
    expect([status, body.session_id]).toEqual([200, stripe.sessions[0]?.id]);
    expect(new Set(stripe.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(stripe.sessions).toHaveLength(1);
    expect((await checkout(id)).body.session_id).toBe(stripe.sessions[1]?.id);
  });

  test('a session whose answer was lost is known by what we wrote into it when it is paid', async () => {
    const id = await activeListing();
    stripe.feel('hangs afterwards');
    await checkoutInHaste(id);
    expect((await deliver(completed(stripe.sessions[0]?.id ?? ''))).status).toBe(200);
    expect(await premiumOf(id)).toEqual(until('featured', 7));
  });

  test('parallel requests for the same get one session', async () => {
    const id = await activeListing();
    const replies = await Promise.all(Array.from({ length: 4 }, () => checkout(id)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { rows } = await app.database.pool.query('select id, session_id from payments where listing_id = $1', [id]);
    expect(new Set(replies.map(({ body }) => body.session_id))).toEqual(new Set(rows.map((row) => row.session_id)));
    expect(stripe.sessions).toHaveLength(rows.length);
  });

  test('a key that the provider has forgotten is not used again', async () => {
    const id = await activeListing();
    stripe.feel('hangs afterwards');
    await checkoutInHaste(id);
    stripe.feel('answers');
    at += DAY;
    await checkout(id);
    expect(new Set(stripe.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  });
});

describe('a completed checkout', () => {
  test('promotes the listing, with its events, its index job and one mail', async () => {
    const id = await activeListing();
    await app.database.pool.query(`delete from pgboss.job where name in ('send-email', 'index-listing')`);
    const { rows: before } = await app.database.pool.query('select max(seq) as seq from events');
    const sessionId = await buy(id);
    expect(await premiumOf(id)).toEqual(until('featured', 7));
    const { rows: events } = await app.database.pool.query(
      'select type, subject, owner_id, data from events where seq > $1 order by seq',
      [before[0].seq],
    );
    const payment = await paymentOf(sessionId);
    expect(events).toEqual([
      { type: 'listing.updated', subject: id, owner_id: owner.id, data: expect.objectContaining({ listing_id: id }) },
      {
        type: 'premium.activated',
        subject: id,
        owner_id: owner.id,
        data: expect.objectContaining({
          listing_id: id,
          payment_id: payment.id,
          type: 'featured',
          duration: 7,
          until: new Date(at + 7 * DAY).toISOString(),
        }),
      },
    ]);
    const { rows: jobs } = await app.database.pool.query(
      `select name, data from pgboss.job where name in ('send-email', 'index-listing') order by name`,
    );
    expect(jobs).toMatchObject([
      { name: 'index-listing', data: { listing_ids: [id] } },
      { name: 'send-email', data: { template: 'premium-activated', user_id: owner.id } },
    ]);
    expect(payment).toMatchObject({ status: 'completed', problem: null, payment_intent: `pi_${sessionId}` });
  });

  test('is seen by anonymous readers of every process, whatever was cached', async () => {
    const id = await activeListing();
    const twin = await app.twin();
    const shown = async (from: TestApp) => (await from.as().get(`/api/listings/${id}`)).body.premium.type;
    expect([await shown(app), await shown(twin)]).toEqual(['none', 'none']);
    await buy(id);
    expect(await shown(app)).toBe('featured');
    await waitFor(async () => expect(await shown(twin)).toBe('featured'), 5_000);
    await twin.close();
  });

  test('counts once: five deliveries at the same time, and other events about the same session', async () => {
    const id = await activeListing();
    const { body } = await checkout(id);
    const event = completed(body.session_id);
    const twin = await app.twin();
    const deliveries = Array.from({ length: 5 }, (_, i) => deliver(event, { to: i % 2 ? twin : app }));
    const others = Array.from({ length: 3 }, () => deliver({ ...event, id: `evt_${randomUUID()}` }));
    const paid = deliver({ ...completed(body.session_id), type: 'checkout.session.async_payment_succeeded' });
    const replies = await Promise.all([...deliveries, ...others, paid]);
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(replies[0]?.body).toEqual({ received: true, type: 'checkout.session.completed' });
    expect(await premiumOf(id)).toEqual(until('featured', 7));
    const { rows } = await app.database.pool.query(
      `select count(*)::int as n from events where subject = $1 and type = 'premium.activated'`,
      [id],
    );
    expect(rows[0].n).toBe(1);
    await twin.close();
  });

  test('of the same plan makes it last longer; of the other plan takes over and keeps the later end', async () => {
    const id = await activeListing();
    await buy(id);
    const first = at;
    at += DAY;
    await buy(id);
    expect(await premiumOf(id)).toEqual(until('featured', 14, first));
    await buy(id, 'urgent', 7);
    expect(await premiumOf(id)).toEqual(until('urgent', 14, first));
    await buy(id, 'featured', 30);
    expect(await premiumOf(id)).toEqual(until('featured', 30));
  });

  test('of several at the same time adds up', async () => {
    const id = await activeListing();
    const sessions: string[] = [];
    for (let i = 0; i < 4; i += 1) sessions.push((await checkout(id)).body.session_id);
    await Promise.all(sessions.map((session) => deliver(completed(session))));
    expect(await premiumOf(id)).toEqual(until('featured', 28));
  });

  test('is over at the very moment of its end', async () => {
    const id = await activeListing();
    await buy(id);
    at += 7 * DAY - 1;
    expect((await premiumOf(id)).type).toBe('featured');
    at += 1;
    expect(await premiumOf(id)).toEqual(none);
    me = app.as(await app.services.tokens.sign({ id: owner.id, role: 'user', session_epoch: 0 }));
    await buy(id, 'urgent');
    expect(await premiumOf(id)).toEqual(until('urgent', 7));
  });

  test('that takes days to be paid promotes when the money is there, and not when it fails', async () => {
    const [good, bad] = [await activeListing(), await activeListing()];
    const [paid, failed] = [(await checkout(good)).body.session_id, (await checkout(bad)).body.session_id];
    for (const session of [paid, failed]) await deliver(completed(session, { payment_status: 'unpaid' }));
    expect([await premiumOf(good), await premiumOf(bad)]).toEqual([none, none]);
    expect((await paymentOf(paid)).status).toBe('pending');
    await deliver({ ...completed(paid), type: 'checkout.session.async_payment_succeeded' });
    await deliver({
      ...completed(failed, { payment_status: 'unpaid' }),
      type: 'checkout.session.async_payment_failed',
    });
    expect([await premiumOf(good), await premiumOf(bad)]).toEqual([until('featured', 7), none]);
    expect((await paymentOf(failed)).status).toBe('failed');
  });

  test('that was never paid is closed; one that is paid after all counts', async () => {
    const id = await activeListing();
    const { body } = await checkout(id);
    await deliver({ ...completed(body.session_id, { payment_status: 'unpaid' }), type: 'checkout.session.expired' });
    expect((await paymentOf(body.session_id)).status).toBe('expired');
    await deliver(completed(body.session_id));
    expect(await premiumOf(id)).toEqual(until('featured', 7));
    await deliver({ ...completed(body.session_id), type: 'checkout.session.expired' });
    expect((await paymentOf(body.session_id)).status).toBe('completed');
  });

  test.each([{ amount_total: 1 }, { currency: 'usd' }])(
    'with another price, %o, promotes nothing and says so',
    async (other) => {
      const warn = vi.spyOn(app.services.log, 'warn');
      const id = await activeListing();
      const { body } = await checkout(id);
      expect((await deliver(completed(body.session_id, other))).status).toBe(200);
      expect(await premiumOf(id)).toEqual(none);
      expect(await paymentOf(body.session_id)).toMatchObject({ status: 'completed', problem: 'amount_mismatch' });
      expect(warn).toHaveBeenCalledWith(
        expect.objectContaining({ listing_id: id, problem: 'amount_mismatch' }),
        expect.any(String),
      );
      warn.mockRestore();
    },
  );

  test('for a listing that is gone keeps the payment, promotes nothing and says so', async () => {
    const warn = vi.spyOn(app.services.log, 'warn');
    const id = await activeListing();
    const { body } = await checkout(id);
    expect((await me.delete(`/api/listings/${id}`)).status).toBe(200);
    expect((await deliver(completed(body.session_id))).status).toBe(200);
    expect(await paymentOf(body.session_id)).toMatchObject({ status: 'completed', problem: 'listing_gone' });
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
    expect((await app.as().get(`/api/listings/${id}/premium`)).status).toBe(404);
  });
});

describe('a refund', () => {
  test('ends the promotion', async () => {
    const id = await activeListing();
    const session = await buy(id);
    expect((await deliver(refunded(session))).status).toBe(200);
    expect(await premiumOf(id)).toEqual(none);
    expect(await paymentOf(session)).toMatchObject({ status: 'refunded', refunded_at: clock.now() });
    await deliver(completed(session));
    expect(await premiumOf(id)).toEqual(none);
  });

  test('ends it too when it is told of as a refund, but not while it has failed', async () => {
    const id = await activeListing();
    const session = await buy(id);
    const object = { object: 'refund', payment_intent: `pi_${session}`, amount: 1_900 };
    await deliver(eventOf('refund.updated', { ...object, status: 'failed' }));
    expect(await premiumOf(id)).toEqual(until('featured', 7));
    await deliver(eventOf('refund.created', { ...object, status: 'succeeded' }));
    expect(await premiumOf(id)).toEqual(none);
  });

  test('is what a dispute comes to that the buyer wins, and no other', async () => {
    const id = await activeListing();
    const session = await buy(id);
    const object = { object: 'dispute', payment_intent: `pi_${session}`, amount: 1_900 };
    for (const status of ['needs_response', 'won', 'warning_closed'])
      await deliver(eventOf('charge.dispute.closed', { ...object, status }));
    await deliver(eventOf('charge.dispute.created', { ...object, status: 'lost' }));
    expect(await premiumOf(id)).toEqual(until('featured', 7));
    await deliver(eventOf('charge.dispute.closed', { ...object, status: 'lost' }));
    expect(await premiumOf(id)).toEqual(none);
  });

  test('of a part leaves it', async () => {
    const id = await activeListing();
    const session = await buy(id);
    await deliver(refunded(session, { amount_refunded: 500, refunded: false }));
    expect(await premiumOf(id)).toEqual(until('featured', 7));
  });

  test('leaves what other purchases have paid for', async () => {
    const id = await activeListing();
    const [first, bought] = [await buy(id, 'featured', 7), at];
    at += DAY;
    const second = await buy(id, 'urgent', 30);
    await deliver(refunded(second, { amount: 2_400, amount_refunded: 2_400 }));
    expect(await premiumOf(id)).toEqual(until('featured', 7, bought));
    await deliver(refunded(first));
    expect(await premiumOf(id)).toEqual(none);
  });

  test('that arrives before its completion leaves nothing promoted', async () => {
    const id = await activeListing();
    const { body } = await checkout(id);
    expect((await deliver(refunded(body.session_id))).status).toBe(200);
    expect((await deliver(completed(body.session_id))).status).toBe(200);
    expect(await premiumOf(id)).toEqual(none);
    expect((await paymentOf(body.session_id)).status).toBe('refunded');
  });

  test('at the same time as its completion leaves nothing promoted', async () => {
    const listings = await Promise.all(Array.from({ length: 6 }, activeListing));
    for (const id of listings) {
      const { body } = await checkout(id);
      await Promise.all([deliver(refunded(body.session_id)), deliver(completed(body.session_id))]);
    }
    expect(await Promise.all(listings.map(premiumOf))).toEqual(listings.map(() => none));
  });
});

describe('the address of the provider', () => {
  const post = (raw: string, headers: Record<string, string>) =>
    app
      .as()
      .request('POST', '/api/payments/webhook', { raw, headers: { 'Content-Type': 'application/json', ...headers } });

  test('400 for another secret, a changed body, no signature, half of one, and one that is too old', async () => {
    const id = await activeListing();
    const { body } = await checkout(id);
    const text = JSON.stringify(completed(body.session_id));
    const good = signedBy(SECRET, text, at / 1_000);
    const replies = [
      await deliver(text, { secret: 'whsec_of_somebody_else' }),
      await post(text.replace(/"id":"evt/, '"id":"evs'), good),
      await post(`${text} `, good),
      await post(text, {}),
      await post(text, { 'Stripe-Signature': 'v1=1' }),
      await post(text, { 'Stripe-Signature': 't=x,v1=x,v0' }),
      await post('', good),
      await deliver(text, { time: at - 301_000 }),
      await deliver(text, { time: at - 400_000 }),
    ];
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 400));
    expect(await premiumOf(id)).toEqual(none);
    expect((await deliver(text, { time: at - 299_000 })).status).toBe(200);
    expect(await premiumOf(id)).toEqual(until('featured', 7));
  });

  test('400 for what is signed and no event, or does not hold what its type says', async () => {
    const object = { id: 'cs_1' };
    const bodies = [
      'null',
      '[]',
      '"text"',
      '{',
      '{}',
      '{"object":"v2.core.event"}',
      { id: 1, type: 'ping', data: { object } },
      { id: 'evt_1', type: 'ping' },
      { id: 'evt_1\u0000', type: 'checkout.session.completed', data: { object } },
      eventOf('checkout.session.completed', {}),
      eventOf('checkout.session.completed', { ...object, amount_total: 1e300 }),
      eventOf('checkout.session.completed', { ...object, payment_intent: ['pi'] }),
      eventOf('checkout.session.completed', { ...object, payment_intent: 'pi_\u0000' }),
      eventOf('charge.refunded', { payment_intent: 'pi_x', amount_refunded: -1 }),
      eventOf('charge.refunded', { payment_intent: 'x'.repeat(300) }),
    ];
    const replies = await Promise.all(bodies.map((body) => deliver(body)));
    expect(replies.map(({ status }) => status)).toEqual(bodies.map(() => 400));
  });

  test('200 or 400 for whatever is signed', async () => {
    const types = ['checkout.session.completed', 'checkout.session.expired', 'charge.refunded', 'refund.created'];
    const fields = ['id', 'payment_intent', 'payment_status', 'amount_total', 'amount', 'amount_refunded', 'metadata'];
    const text = fc.string({ unit: 'binary', maxLength: 8 });
    const value = fc.oneof(text, fc.nat(), fc.jsonValue(), fc.record({ id: text }), fc.record({ payment_id: text }));
    const object = fc.dictionary(fc.constantFrom(...fields), value).map((some) => ({ id: 'cs_0', ...some }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...types), object, async (type, some) => {
        expect([200, 400]).toContain((await deliver(eventOf(type, some))).status);
      }),
      { numRuns: times(30, 400) },
    );
  });

  test('200 for types that do not matter and for sessions and charges of others', async () => {
    const events = [
      eventOf('invoice.paid', {}),
      completed('cs_of_another_shop', { metadata: { payment_id: '' }, amount_total: 5_000_000_000, currency: 'idr' }),
      refunded('cs_of_another_shop', { amount: 5_000_000_000, amount_refunded: 5_000_000_000 }),
      eventOf('constructor', {}),
      completed('cs_of_another_shop', { metadata: {} }),
      eventOf('charge.refunded', { payment_intent: null }),
      refunded('cs_of_another_shop'),
    ];
    for (const event of events) {
      const { status, body } = await deliver(event);
      expect({ status, body }).toEqual({ status: 200, body: { received: true, type: event.type } });
    }
  });

  test('503 when the event cannot be stored; sent again, it counts', async () => {
    const id = await activeListing();
    const { body } = await checkout(id);
    const event = completed(body.session_id);
    const cutOff = await app.twin();
    await cutOff.services.pool.end();
    vi.spyOn(cutOff.services.pool, 'end').mockResolvedValue();
    expect((await deliver(event, { to: cutOff })).status).toBe(503);
    await cutOff.close();
    expect(await premiumOf(id)).toEqual(none);
    expect((await deliver(event)).status).toBe(200);
    expect(await premiumOf(id)).toEqual(until('featured', 7));
  });

  test('an event that fails halfway leaves nothing, and counts when it comes again', async () => {
    const id = await activeListing();
    const { body } = await checkout(id);
    const event = completed(body.session_id);
    const enqueue = vi
      .spyOn(app.services.jobs, 'enqueue')
      .mockRejectedValueOnce(Object.assign(new Error('the connection was lost'), { code: '08006' }));
    expect((await deliver(event)).status).toBe(503);
    enqueue.mockRestore();
    expect([await premiumOf(id), (await paymentOf(body.session_id)).status]).toEqual([none, 'open']);
    await deliver(event);
    expect(await premiumOf(id)).toEqual(until('featured', 7));
  });
});

test('the caller sees what they have ordered, newest first, and nobody else does', async () => {
  const buyer = await app.createUser();
  const created = await app.as(buyer).post('/api/listings', listingBody());
  const { id, slug, title } = created.body;
  await app.as(buyer).post(`/api/listings/${id}/publish`);
  const order = (plan: string) => app.as(buyer).post(`/api/listings/${id}/premium/checkout`, { plan, duration: 30 });
  const paid = (await order('featured')).body.session_id;
  await deliver(completed(paid));
  at += 1_000;
  await order('urgent');
  await app.as(buyer).delete(`/api/listings/${id}`);
  const { body } = await app.as(buyer).get('/api/me/payments');
  const listing = { id, title, slug };
  expect(body).toEqual({
    results: [
      expect.objectContaining({ listing, plan: 'urgent', status: 'open', amount_cents: 2_400, completed_at: null }),
      expect.objectContaining({ listing, plan: 'featured', duration: 30, status: 'completed', amount_cents: 4_900 }),
    ],
    pagination: { page: 1, limit: 20, total: 2, pages: 1 },
  });
  const second = await app.as(buyer).get('/api/me/payments?page=2&limit=1');
  expect(second.body.results.map(({ plan }: { plan: string }) => plan)).toEqual(['featured']);
  expect((await app.as(await app.createUser()).get('/api/me/payments')).body.results).toEqual([]);
});

test('in live mode the status says so, and the pages of the stub are not there', async () => {
  expect((await app.as().get('/api/payments/status')).body).toEqual({ mode: 'live', configured: true });
  const { body } = await checkout(await activeListing());
  await app.database.pool.query(`update payments set mode = 'stub' where session_id = $1`, [body.session_id]);
  const address = `/api/payments/stub/${body.session_id}`;
  expect((await app.as().get(address)).status).toBe(404);
  expect((await app.as().post(address)).status).toBe(404);
  expect((await paymentOf(body.session_id)).status).toBe('open');
});
