import { inTransaction } from '../../db/client.ts';
import { redeemToken } from '../../shared/accounts/account-tokens.ts';
import { requireLiveCredential } from '../../shared/accounts/live-credential.ts';
import { assertAttemptsLeft, countWrongPassword, startPasswordAttempt } from '../../shared/accounts/wrong-passwords.ts';
import { invalid } from '../../shared/kit/errors.ts';
import { leaveAccount } from '../../shared/leaving/leave.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import type { AuthenticatedRequest } from '../http/types.ts';
import type { Services } from '../services.ts';

/** Ends the caller's account for good, for whoever knows its password or has a link by mail; a run erases what it leaves behind. */
export const deleteMe: AuthenticatedHandler<'deleteMe'> = async (services, request) => {
  const { caller, body } = request;
  if (body.password !== undefined) await checkPassword(services, request, body.password);
  await inTransaction(services.db, async (tx) => {
    if (body.token !== undefined) {
      const account = await redeemToken(tx, 'magic_link', body.token, services.clock.now());
      if (account?.id !== caller.userId)
        throw invalid('The token does not open this account.', [
          { path: '/body/token', message: 'was used, has expired, or is no token of a link by mail to this account' },
        ]);
    }
    await requireLiveCredential(tx, caller);
    await leaveAccount(tx, services, caller.userId);
  });
  return { status: 200, body: { deleted: true, id: caller.userId } };
};

async function checkPassword(
  { db, clock, config, passwords }: Services,
  { caller, ip }: AuthenticatedRequest<'deleteMe'>,
  password: string,
): Promise<void> {
  const user = await db
    .selectFrom('users')
    .select(['email', 'password_hash'])
    .where('id', '=', caller.userId)
    .executeTakeFirstOrThrow();
  const attempt = { email: user.email, userId: caller.userId, network: ip };
  const counted = await startPasswordAttempt(db, attempt, config.rateLimitMultiplier, clock.now());
  if (!(await passwords.verify(user.password_hash, password))) {
    await countWrongPassword(db, counted);
    throw invalid('The password is wrong.', [
      { path: '/body/password', message: 'is not the password of the account', reason: 'not_own_password' },
    ]);
  }
  await assertAttemptsLeft(db, counted);
}
