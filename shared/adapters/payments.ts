import { createHmac } from 'node:crypto';
import type { Config } from '../kit/config.ts';
import type { Payments } from './payments-session.ts';
import { createStripePayments } from './payments-stripe.ts';

/** Stripe where it is configured; without it sessions whose page is our own, and whose ids cannot be guessed. */
export function createPayments(
  config: { payments: Config['payments']; jwtSecrets: readonly string[] },
  options: { timeoutMs?: number } = {},
): Payments {
  const { stripe } = config.payments;
  return stripe ? createStripePayments(stripe, options) : createStubPayments(config.jwtSecrets[0] ?? '');
}

function createStubPayments(secret: string): Payments {
  return {
    mode: 'stub',
    openSession: ({ paymentId }) => {
      const seal = createHmac('sha256', secret).update(`checkout:${paymentId}`).digest('base64url');
      return Promise.resolve({ id: `stub_${seal}`, url: undefined });
    },
    // Nothing was paid.
    refund: () => Promise.resolve(),
  };
}
