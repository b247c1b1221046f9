import { assertAttemptsLeft, countWrongPassword, startPasswordAttempt } from '../../shared/accounts/wrong-passwords.ts';
import { invalid } from '../../shared/kit/errors.ts';
import type { Services } from '../services.ts';

type Owner = { id: string; email: string; password_hash: string | null };

/** Asks for the password of an account again: 400 at that path for a wrong one, 429 once there were too many as when logging in. */
export async function assertPassword(
  { db, config, clock, passwords }: Services,
  user: Owner,
  { password, path, network }: { password: string; path: string; network: string },
): Promise<void> {
  const attempt = { email: user.email, userId: user.id, network };
  const counted = await startPasswordAttempt(db, attempt, config.rateLimitMultiplier, clock.now());
  if (!(await passwords.verify(user.password_hash, password))) {
    await countWrongPassword(db, counted);
    throw invalid('The password is wrong.', [
      { path, message: 'is not the password of the account', reason: 'not_own_password' },
    ]);
  }
  await assertAttemptsLeft(db, counted);
}
