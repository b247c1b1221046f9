import { inTransaction } from '../../db/client.ts';
import { readUnsubscribe } from '../../shared/accounts/unsubscribe-token.ts';
import { invalid } from '../../shared/kit/errors.ts';
import { unsubscribeFromNewsletter } from '../../shared/newsletter/subscription.ts';
import type { Handler } from '../handler.ts';

/** Ends the subscription that a token from one of its mails names; 400 for any other text. */
export const unsubscribeNewsletter: Handler<'unsubscribeNewsletter'> = async ({ db, config, clock }, { body }) => {
  const subscription = readUnsubscribe(config.jwtSecrets, body.token);
  if (subscription?.kind !== 'newsletter') {
    throw invalid('This is no token of the newsletter.', [{ path: '/body/token', message: 'is not genuine' }]);
  }
  await inTransaction(db, (tx) => unsubscribeFromNewsletter(tx, subscription.id, clock.now()));
  return { status: 200, body: { unsubscribed: true } };
};
