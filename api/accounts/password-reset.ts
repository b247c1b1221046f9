import { inTransaction } from '../../db/client.ts';
import { findRedeemable, redeemToken } from '../../shared/accounts/account-tokens.ts';
import { normalizeEmail } from '../../shared/kit/email.ts';
import { requestLink } from '../../shared/accounts/link-requests.ts';
import { rememberNetwork } from '../../shared/accounts/login-networks.ts';
import { tellPasswordChanged } from '../../shared/accounts/password-changed-mail.ts';
import { assertPasswordStrength } from '../../shared/accounts/password-rule.ts';
import { replacePassword } from '../../shared/accounts/take-over.ts';
import type { Handler } from '../handler.ts';
import { unusableToken } from './unusable-token.ts';

/** Asks for a link to set a new password with to be mailed; the answer is the same whether the address has an account or not. */
export const requestPasswordReset: Handler<'requestPasswordReset'> = async (services, { body }) => {
  const email = normalizeEmail(body.email);
  await inTransaction(services.db, async (tx) => requestLink(tx, services, 'password_reset', email));
  return {
    status: 200,
    body: { sent: true, message: 'If the address has an account, a link to set a new password is on its way there.' },
  };
};

/** Sets a new password with the token of a mail, once: sessions, keys and webhooks from before end, and the owner is told which. */
export const confirmPasswordReset: Handler<'confirmPasswordReset'> = async (services, { body, ip }) => {
  const { db, clock, passwords } = services;
  // Hashing is dear: it is done for genuine tokens only, and before anything is locked.
  const found = await findRedeemable(db, 'password_reset', body.token, clock.now());
  if (!found) throw unusableToken();
  await assertPasswordStrength(body.password, found.email);
  const passwordHash = await passwords.hash(body.password);
  const now = clock.now();
  const revoked = await inTransaction(db, async (tx) => {
    const account = await redeemToken(tx, 'password_reset', body.token, now);
    if (!account) throw unusableToken();
    const ended = await replacePassword(tx, account, { passwordHash, keepKeys: !body.keys }, now);
    await rememberNetwork(tx, account.id, ip, now);
    await tellPasswordChanged(tx, services, { userId: account.id, ended }, now);
    return ended;
  });
  return { status: 200, body: { reset: true, ...revoked } };
};
