import { Stripe } from 'stripe';
import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { openCheckout } from '../../../shared/premium/order.ts';
import { createListing, type Person } from '../openapi-cases-things.ts';
import { fresh, ofListing, type Recipe } from './recipe.ts';

/** A checkout of that person's, not paid yet; its session. */
export async function createCheckout(services: Services, owner: Person): Promise<string> {
  const listing = await createListing(services, owner, 'active');
  const { id } = await openCheckout(services, {
    listing: listing.id,
    userId: owner.id,
    plan: 'featured',
    duration: 7,
  });
  return id;
}

/** The headers of a body that the payment provider has signed at that time (in seconds), with the services' own secret. */
export function signedBy(secret: string | undefined, payload: string, timestamp?: number): Record<string, string> {
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload,
    secret: secret ?? '',
    ...(timestamp !== undefined && { timestamp }),
  });
  return { 'Stripe-Signature': signature, 'Content-Type': 'application/json' };
}

/** A payment of that person's that was made, in stub mode; its id. */
export async function createPayment(services: Services, owner: Person): Promise<string> {
  const sessionId = await createCheckout(services, owner);
  const { id } = await services.db
    .updateTable('payments')
    .set({ status: 'completed', completed_at: services.clock.now(), mode: 'stub' })
    .where('session_id', '=', sessionId)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const ofCheckout: Recipe = async ({ services, owner }) => ({
  params: { sessionId: await createCheckout(services, owner) },
});

/** What the operations on promotions and payments need. */
export const premiumRecipes: Partial<Record<OperationId, Recipe>> = {
  createPremiumCheckout: ofListing('active'),
  getPremiumStatus: ofListing('active'),
  getCheckoutReturn: () => ({ query: [['listing', 'a-sound-boat']] }),
  refundOrder: async ({ services, owner }) => ({ params: { paymentId: await createPayment(services, owner) } }),
  getStubCheckout: ofCheckout,
  completeStubCheckout: ofCheckout,
  receivePaymentEvent: ({ services }) => {
    const object = { id: `cs_${fresh()}`, payment_status: 'paid' };
    const text = JSON.stringify({
      id: `evt_${newId('payment')}`,
      type: 'checkout.session.completed',
      data: { object },
    });
    return { text, headers: signedBy(services.config.payments.webhookSecret, text) };
  },
};
