import { inTransaction } from '../../db/client.ts';
import { refuseSuspended } from '../../shared/accounts/refuse-suspended.ts';
import { openSession } from '../../shared/accounts/sessions.ts';
import { checkSecondFactor } from '../../shared/accounts/totp.ts';
import { countWrongPassword, startPasswordAttempt, assertAttemptsLeft } from '../../shared/accounts/wrong-passwords.ts';
import { normalizeEmail } from '../../shared/kit/email.ts';
import { unauthorized } from '../../shared/kit/errors.ts';
import type { Handler } from '../handler.ts';
import { presentSession, userColumns } from './present.ts';

/**
 * Exchanges email and password for a session. A wrong password and an unknown address take as long and answer the same 401,
 * and the same 429 once there were too many. A right password alone is not enough where an authenticator app is set up; whoever
 * proves that a suspended account is theirs is told why: 403.
 */
export const login: Handler<'login'> = async (services, { body, ip, userAgent }) => {
  const { db, config, clock, passwords, tokens } = services;
  const email = normalizeEmail(body.email);
  const user = await db
    .selectFrom('users')
    .select([...userColumns, 'session_epoch', 'password_hash', 'disabled_at'])
    .where('email', '=', email)
    .executeTakeFirst();
  const attempt = { email, userId: user?.id, network: ip };
  const counted = await startPasswordAttempt(db, attempt, config.rateLimitMultiplier, clock.now());
  const fits = await passwords.verify(user?.password_hash, body.password);
  if (user?.disabled_at && fits) {
    await assertAttemptsLeft(db, counted);
    await refuseSuspended({ db, config }, user.id);
  }
  if (!user || !fits || user.disabled_at) {
    await countWrongPassword(db, counted);
    throw unauthorized('The email or the password is wrong.', { reason: 'wrong_password' });
  }
  await assertAttemptsLeft(db, counted);
  const secondFactor = await checkSecondFactor(services, user.id, body.totp, clock.now());
  const opening = { userId: user.id, origin: { network: ip, userAgent }, secondFactor, tellsOwner: true };
  const sessionId = await inTransaction(db, async (tx) => openSession(tx, services, opening));
  return { status: 200, body: presentSession(user, await tokens.sign(user, sessionId)) };
};
