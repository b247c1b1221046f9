import { inTransaction } from '../../db/client.ts';
import { redeemToken } from '../../shared/accounts/account-tokens.ts';
import { requestLink } from '../../shared/accounts/link-requests.ts';
import { markVerified } from '../../shared/accounts/take-over.ts';
import { unauthorized } from '../../shared/kit/errors.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import { presentUser, userColumns } from './present.ts';
import { unusableToken } from './unusable-token.ts';

/** Proves the address of an account with the token of a mail, once. */
export const verifyEmail: Handler<'verifyEmail'> = async ({ db, clock }, { body }) => {
  const now = clock.now();
  const user = await inTransaction(db, async (tx) => {
    const account = await redeemToken(tx, 'verify_email', body.token, now);
    if (!account) throw unusableToken();
    await markVerified(tx, account, now);
    return tx.selectFrom('users').select(userColumns).where('id', '=', account.id).executeTakeFirstOrThrow();
  });
  return { status: 200, body: { user: presentUser(user) } };
};

/** Asks for the mail that proves the caller's address once more; nothing is sent where it is proved already. */
export const resendVerification: AuthenticatedHandler<'resendVerification'> = async (services, { caller }) =>
  inTransaction(services.db, async (tx) => {
    const user = await tx
      .selectFrom('users')
      .select(['email', 'verified'])
      .where('id', '=', caller.userId)
      .executeTakeFirst();
    if (!user) throw unauthorized();
    if (user.verified) return { status: 200, body: { sent: false, message: 'Your address is proved already.' } };
    await requestLink(tx, services, 'verify_email', user.email);
    return { status: 200, body: { sent: true, message: 'A link to prove your address is on its way there.' } };
  });
