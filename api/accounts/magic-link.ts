import { inTransaction } from '../../db/client.ts';
import { findRedeemable, redeemToken } from '../../shared/accounts/account-tokens.ts';
import { normalizeEmail } from '../../shared/kit/email.ts';
import { requestLink } from '../../shared/accounts/link-requests.ts';
import { refuseSuspendedOwner } from '../../shared/accounts/refuse-suspended.ts';
import { openSession } from '../../shared/accounts/sessions.ts';
import { claimAccount } from '../../shared/accounts/take-over.ts';
import { checkSecondFactor } from '../../shared/accounts/totp.ts';
import { unauthorized } from '../../shared/kit/errors.ts';
import type { Handler } from '../handler.ts';
import { presentSession, userColumns } from './present.ts';

/** Asks for a link to log in with to be mailed; the answer is the same whether the address has an account or not. */
export const requestMagicLink: Handler<'requestMagicLink'> = async (services, { body }) => {
  const email = normalizeEmail(body.email);
  await inTransaction(services.db, async (tx) => requestLink(tx, services, 'magic_link', email, body.page));
  return {
    status: 200,
    body: { sent: true, message: 'If the address has an account, a link to log in with is on its way there.' },
  };
};

/** Exchanges the token of a magic link for a session, once; the address is proved by it. A wrong code of the app leaves the link good. */
export const verifyMagicLink: Handler<'verifyMagicLink'> = async (services, { body, ip, userAgent }) => {
  const { db, clock, config, tokens } = services;
  const now = clock.now();
  const found = await findRedeemable(db, 'magic_link', body.token, now);
  // Whoever set up an app on an address that nobody has proved may be a stranger: its owner is not asked for their code.
  const secondFactor = found?.verified ? await checkSecondFactor(services, found.id, body.totp, now) : false;
  const { user, sessionId } = await inTransaction(db, async (tx) => {
    const account = await redeemToken(tx, 'magic_link', body.token, now);
    if (!account) await refuseSuspendedOwner({ db: tx, config }, 'magic_link', body.token, now);
    if (!account) throw unauthorized('This link has been used, has expired or never was one.');
    await claimAccount(tx, account, now);
    const opening = { userId: account.id, origin: { network: ip, userAgent }, secondFactor, tellsOwner: true };
    const opened = await openSession(tx, services, opening);
    const claimed = await tx
      .selectFrom('users')
      .select([...userColumns, 'session_epoch'])
      .where('id', '=', account.id)
      .executeTakeFirstOrThrow();
    return { user: claimed, sessionId: opened };
  });
  return { status: 200, body: presentSession(user, await tokens.sign(user, sessionId)) };
};
