import type Stripe from 'stripe';
import { SpanKind } from '@opentelemetry/api';
import { deadlinesOf } from '../kit/deadlines.ts';
import { inSpan, serverOf } from '../kit/tracing.ts';
import { NoRefund, NoSession, type CheckoutOrder, type Payments } from './payments-session.ts';

const API_BASE = 'https://api.stripe.com';
const MAX_RETRIES = 1;

type Settings = { secretKey: string; apiBase?: string | undefined };

/**
 * Checkout sessions of Stripe. The payment id is the idempotency key of its session: after a timeout the same order finds
 * the session that was made meanwhile, if there is one.
 */
export function createStripePayments(settings: Settings, { timeoutMs = deadlinesOf().payment } = {}): Payments {
  let loading: Promise<Stripe> | undefined;
  const client = () => (loading ??= connect(settings, timeoutMs));
  const server = { kind: SpanKind.CLIENT, attributes: serverOf(settings.apiBase ?? API_BASE) };
  return {
    mode: 'payment',
    async openSession(order) {
      try {
        const { checkout } = await client();
        const options = { idempotencyKey: order.paymentId };
        const { id, url } = await inSpan('POST /v1/checkout/sessions', server, () =>
          checkout.sessions.create(sessionOf(order), options),
        );
        if (typeof id !== 'string' || typeof url !== 'string') throw new Error('the session has no id or no address');
        return { id, url };
      } catch (error) {
        throw toNoSession(error);
      }
    },
    async refund({ paymentId, intent }) {
      try {
        const { refunds } = await client();
        const metadata = { payment_id: paymentId };
        const options = { idempotencyKey: `refund:${paymentId}` };
        await inSpan('POST /v1/refunds', server, () => refunds.create({ payment_intent: intent, metadata }, options));
      } catch (error) {
        if ((error as { code?: string }).code === 'charge_already_refunded') return;
        throw new NoRefund(tellFailure(error), { cause: error });
      }
    },
  };
}

/** The SDK takes long to load; only who pays waits for it. */
async function connect({ secretKey, apiBase }: Settings, timeout: number): Promise<Stripe> {
  const { Stripe } = await import('stripe');
  return new Stripe(secretKey, {
    timeout,
    maxNetworkRetries: MAX_RETRIES,
    telemetry: false,
    ...(apiBase !== undefined && addressOf(apiBase)),
  });
}

function addressOf(apiBase: string) {
  const { protocol, hostname: host, port } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return { protocol: isPlain ? ('http' as const) : ('https' as const), host, port: port || (isPlain ? 80 : 443) };
}

/** Made from the order alone: Stripe refuses an idempotency key that comes back with other parameters. */
function sessionOf(order: CheckoutOrder): Stripe.Checkout.SessionCreateParams {
  const metadata = { payment_id: order.paymentId, listing_id: order.listingId };
  return {
    mode: 'payment',
    client_reference_id: order.paymentId,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: order.currency.toLowerCase(),
          unit_amount: order.amountCents,
          product_data: { name: order.product },
        },
      },
    ],
    metadata,
    payment_intent_data: { metadata },
    success_url: order.paidUrl,
    cancel_url: order.leftUrl,
  };
}

/** Stripe keeps its answer under the idempotency key, a fault of its own too, but not these two. */
const passing = new Set([409, 429]);

/** What may be told of a failure: the provider's own words may quote the key that it was asked with. */
function toNoSession(error: unknown): NoSession {
  const { statusCode } = error as { statusCode?: number };
  return new NoSession(tellFailure(error), statusCode !== undefined && !passing.has(statusCode));
}

function tellFailure(error: unknown): string {
  const { statusCode, code, requestId } = error as { statusCode?: number; code?: string; requestId?: string };
  const facts = Object.entries({ status: statusCode, code, request_id: requestId });
  const told = facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  const kind = error instanceof Error ? error.constructor.name : 'unknown';
  return [kind, ...told].join(', ');
}
