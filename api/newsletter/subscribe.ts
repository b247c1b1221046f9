import { inTransaction } from '../../db/client.ts';
import { normalizeEmail } from '../../shared/kit/email.ts';
import { subscribeToNewsletter } from '../../shared/newsletter/subscription.ts';
import type { Handler } from '../handler.ts';

/** Puts an address on the list; the answer is the same whether it was there or not. */
export const subscribeNewsletter: Handler<'subscribeNewsletter'> = async (services, { body, locale }) => {
  const { db, clock } = services;
  const subscriber = { email: normalizeEmail(body.email), language: locale };
  await inTransaction(db, (tx) => subscribeToNewsletter(tx, services, subscriber, clock.now()));
  return { status: 200, body: { subscribed: true, message: 'This address is on the list of the newsletter.' } };
};
