import { inTransaction } from '../../db/client.ts';
import { readProviderEvent } from '../../shared/adapters/payments-events.ts';
import { handleProviderEvent } from '../../shared/premium/provider-event.ts';
import type { Handler } from '../handler.ts';

/** Takes in what the payment provider tells: it is stored when this answers 200, and sent again by the provider when not. */
export const receivePaymentEvent: Handler<'receivePaymentEvent'> = async (services, { body, headers }) => {
  const { config, clock, db } = services;
  const event = await readProviderEvent(
    body as string,
    headers['Stripe-Signature'] ?? '',
    config.payments.webhookSecret,
    clock,
  );
  const listingId = await inTransaction(db, (tx) => handleProviderEvent(tx, services, event));
  const changed = { listings: listingId === undefined ? [] : [listingId] };
  return { status: 200, body: { received: true, type: event.type }, effects: { changed } };
};
