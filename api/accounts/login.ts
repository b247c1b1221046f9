import { normalizeEmail } from '../../shared/kit/email.ts';
import { rememberNetwork } from '../../shared/accounts/login-networks.ts';
import { countWrongPassword, startPasswordAttempt, assertAttemptsLeft } from '../../shared/accounts/wrong-passwords.ts';
import { unauthorized } from '../../shared/kit/errors.ts';
import type { Handler } from '../handler.ts';
import { presentSession, userColumns } from './present.ts';

/**
 * Exchanges email and password for a session. A wrong password and an unknown address take as long and answer the same 401,
 * and the same 429 once there were too many.
 */
export const login: Handler<'login'> = async ({ db, config, clock, passwords, tokens }, { body, ip }) => {
  const email = normalizeEmail(body.email);
  const user = await db
    .selectFrom('users')
    .select([...userColumns, 'role', 'session_epoch', 'password_hash', 'disabled_at'])
    .where('email', '=', email)
    .executeTakeFirst();
  const attempt = { email, userId: user?.id, network: ip };
  const counted = await startPasswordAttempt(db, attempt, config.rateLimitMultiplier, clock.now());
  const fits = await passwords.verify(user?.password_hash, body.password);
  if (!user || !fits || user.disabled_at) {
    await countWrongPassword(db, counted);
    throw unauthorized('The email or the password is wrong.');
  }
  await assertAttemptsLeft(db, counted);
  await rememberNetwork(db, user.id, ip, clock.now());
  return { status: 200, body: presentSession(user, await tokens.sign(user)) };
};
