import { inTransaction } from '../../db/client.ts';
import { isRedeemable, redeemToken } from '../../shared/accounts/account-tokens.ts';
import { normalizeEmail } from '../../shared/accounts/email.ts';
import { requestLink } from '../../shared/accounts/link-requests.ts';
import { replacePassword } from '../../shared/accounts/take-over.ts';
import type { Handler } from '../http/types.ts';
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

/** Sets a new password with the token of a mail, once: every session ends, and the owner is told by mail. */
export const confirmPasswordReset: Handler<'confirmPasswordReset'> = async (services, { body }) => {
  const { db, clock, config, jobs, passwords } = services;
  // Hashing is dear: it is done for genuine tokens only, and before anything is locked.
  if (!(await isRedeemable(db, 'password_reset', body.token, clock.now()))) throw unusableToken();
  const passwordHash = await passwords.hash(body.password);
  const now = clock.now();
  await inTransaction(db, async (tx) => {
    const account = await redeemToken(tx, 'password_reset', body.token, now);
    if (!account) throw unusableToken();
    await replacePassword(tx, account, passwordHash, now);
    await jobs.enqueue(tx, 'send-email', {
      message_id: `password-changed.${account.id}.${now.getTime()}`,
      template: 'password-changed',
      user_id: account.id,
      data: { changed_at: now.toISOString(), url: `${config.baseUrl}/account` },
    });
  });
  return { status: 200, body: { reset: true } };
};
