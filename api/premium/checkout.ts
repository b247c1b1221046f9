import { openCheckout } from '../../shared/premium/order.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { stubPageOf } from './stub.ts';

/**
 * Opens the checkout of a promotion for the caller's own active listing. Nothing is promoted before it is paid; 503 when the
 * payment provider gives no session, and the same request then goes on where this one has stopped.
 */
export const createPremiumCheckout: AuthenticatedHandler<'createPremiumCheckout'> = async (services, request) => {
  const { params, body, caller, links } = request;
  const wish = { listing: params.id, userId: caller.userId, plan: body.plan, duration: body.duration };
  const session = await openCheckout(services, wish);
  const { mode } = services.payments;
  return {
    status: 200,
    body: { checkout_url: session.url ?? stubPageOf(links, session.id), session_id: session.id, mode },
  };
};
