import { inTransaction } from '../../db/client.ts';
import { requireLiveCredential } from '../../shared/accounts/live-credential.ts';
import { tellPasswordChanged } from '../../shared/accounts/password-changed-mail.ts';
import { assertPasswordStrength } from '../../shared/accounts/password-rule.ts';
import { findSession, openSession } from '../../shared/accounts/sessions.ts';
import { updatePassword } from '../../shared/accounts/take-over.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { assertPassword } from './assert-password.ts';

/**
 * Sets another password for whoever knows the one there is: every session ends but the new one in the answer, keys and webhooks only
 * if asked for. Wrong passwords count as those of logging in; an account that never had one sets its first by a mailed link.
 */
export const changePassword: AuthenticatedHandler<'changePassword'> = async (
  services,
  { body, caller, ip, userAgent },
) => {
  const { db, clock, passwords, tokens } = services;
  const user = await db
    .selectFrom('users')
    .select(['id', 'email', 'role', 'password_hash'])
    .where('id', '=', caller.userId)
    .executeTakeFirstOrThrow();
  await assertPassword(services, user, { password: body.current, path: '/body/current', network: ip });
  await assertPasswordStrength(body.new, user.email, '/body/new');
  const passwordHash = await passwords.hash(body.new);
  const now = clock.now();
  const { ended, epoch, sessionId } = await inTransaction(db, async (tx) => {
    await requireLiveCredential(tx, caller);
    const secondFactor = (await findSession(tx, caller.sessionId))?.second_factor ?? false;
    const changed = await updatePassword(tx, user.id, { passwordHash, keepKeys: !body.keys }, now);
    const opening = { userId: user.id, origin: { network: ip, userAgent }, secondFactor, tellsOwner: false };
    const opened = await openSession(tx, services, opening);
    await tellPasswordChanged(tx, services, { userId: user.id, ended: changed.ended }, now);
    return { ...changed, sessionId: opened };
  });
  const token = await tokens.sign({ ...user, session_epoch: epoch }, sessionId);
  return { status: 200, body: { changed: true, token, ...ended } };
};
