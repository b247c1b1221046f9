import { inTransaction } from '../../db/client.ts';
import { redeemToken } from '../../shared/accounts/account-tokens.ts';
import { normalizeEmail } from '../../shared/kit/email.ts';
import { requestLink } from '../../shared/accounts/link-requests.ts';
import { rememberNetwork } from '../../shared/accounts/login-networks.ts';
import { claimAccount } from '../../shared/accounts/take-over.ts';
import { unauthorized } from '../../shared/kit/errors.ts';
import type { Handler } from '../handler.ts';
import { presentSession, userColumns } from './present.ts';

/** Asks for a link to log in with to be mailed; the answer is the same whether the address has an account or not. */
export const requestMagicLink: Handler<'requestMagicLink'> = async (services, { body }) => {
  const email = normalizeEmail(body.email);
  await inTransaction(services.db, async (tx) => requestLink(tx, services, 'magic_link', email));
  return {
    status: 200,
    body: { sent: true, message: 'If the address has an account, a link to log in with is on its way there.' },
  };
};

/** Exchanges the token of a magic link for a session, once; the address is proved by it. */
export const verifyMagicLink: Handler<'verifyMagicLink'> = async ({ db, clock, tokens }, { body, ip }) => {
  const now = clock.now();
  const user = await inTransaction(db, async (tx) => {
    const account = await redeemToken(tx, 'magic_link', body.token, now);
    if (!account) throw unauthorized('This link has been used, has expired or never was one.');
    await claimAccount(tx, account, now);
    await rememberNetwork(tx, account.id, ip, now);
    return tx
      .selectFrom('users')
      .select([...userColumns, 'role', 'session_epoch'])
      .where('id', '=', account.id)
      .executeTakeFirstOrThrow();
  });
  return { status: 200, body: presentSession(user, await tokens.sign(user)) };
};
