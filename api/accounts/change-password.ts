import { inTransaction } from '../../db/client.ts';
import { requireLiveCredential } from '../../shared/accounts/live-credential.ts';
import { rememberNetwork } from '../../shared/accounts/login-networks.ts';
import { assertPasswordStrength } from '../../shared/accounts/password-rule.ts';
import { updatePassword } from '../../shared/accounts/take-over.ts';
import { assertAttemptsLeft, countWrongPassword, startPasswordAttempt } from '../../shared/accounts/wrong-passwords.ts';
import { invalid } from '../../shared/kit/errors.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/**
 * Sets another password for whoever knows the one there is: every session ends but the new one in the answer, keys and webhooks only
 * if asked for. Wrong passwords count as those of logging in; an account that never had one sets its first by a mailed link.
 */
export const changePassword: AuthenticatedHandler<'changePassword'> = async (services, { body, caller, ip }) => {
  const { db, clock, config, jobs, passwords, tokens } = services;
  const user = await db
    .selectFrom('users')
    .select(['id', 'email', 'role', 'password_hash'])
    .where('id', '=', caller.userId)
    .executeTakeFirstOrThrow();
  const attempt = { email: user.email, userId: user.id, network: ip };
  const counted = await startPasswordAttempt(db, attempt, config.rateLimitMultiplier, clock.now());
  if (!(await passwords.verify(user.password_hash, body.current))) {
    await countWrongPassword(db, counted);
    throw invalid('The password is wrong.', [{ path: '/body/current', message: 'is not the password of the account' }]);
  }
  await assertAttemptsLeft(db, counted);
  await assertPasswordStrength(body.new, user.email, '/body/new');
  const passwordHash = await passwords.hash(body.new);
  const now = clock.now();
  const { ended, epoch } = await inTransaction(db, async (tx) => {
    await requireLiveCredential(tx, caller);
    const changed = await updatePassword(tx, user.id, { passwordHash, keepKeys: !body.keys }, now);
    await rememberNetwork(tx, user.id, ip, now);
    await jobs.enqueue(tx, 'send-email', {
      message_id: `password-changed.${user.id}.${now.getTime()}`,
      template: 'password-changed',
      user_id: user.id,
      data: {
        changed_at: now.toISOString(),
        url: urlTo(config.site, 'forgot_password', {}),
        key_ids: changed.ended.revoked_keys?.map(({ id }) => id),
        webhook_ids: changed.ended.paused_webhooks?.map(({ id }) => id),
      },
    });
    return changed;
  });
  const token = await tokens.sign({ ...user, session_epoch: epoch });
  return { status: 200, body: { changed: true, token, ...ended } };
};
