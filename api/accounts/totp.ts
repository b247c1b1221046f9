import { inTransaction } from '../../db/client.ts';
import { requireLiveCredential } from '../../shared/accounts/live-credential.ts';
import { countRecoveryCodes, createRecoveryCodes } from '../../shared/accounts/recovery-codes.ts';
import {
  assertMayEnrol,
  forgetSecondFactor,
  hasSecondFactor,
  noteSecondFactor,
} from '../../shared/accounts/second-factors.ts';
import { restoreCodeAttempts, takeCodeAttempt } from '../../shared/accounts/code-attempts.ts';
import { tellOwner } from '../../shared/accounts/tell-owner.ts';
import { createTotp, findTotp, redeemCode, redeemTotp } from '../../shared/accounts/totp.ts';
import { showEmail } from '../../shared/kit/email.ts';
import { invalid } from '../../shared/kit/errors.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import type { Services } from '../services.ts';
import { assertPassword } from './assert-password.ts';

/** Whether signing in asks the caller for a code, and how many recovery codes are left. */
export const getTotp: AuthenticatedHandler<'getTotp'> = async ({ db }, { caller }) => ({
  status: 200,
  body: await presentTotp(db, caller.userId),
});

/** A new secret for the caller's authenticator app, shown this once; 409 when there is an app already. */
export const startTotp: AuthenticatedHandler<'startTotp'> = async ({ db, clock, config }, { caller }) => {
  const { url, secret } = await inTransaction(db, async (tx) => {
    await requireLiveCredential(tx, caller);
    const { email } = await tx
      .selectFrom('users')
      .select('email')
      .where('id', '=', caller.userId)
      .executeTakeFirstOrThrow();
    const account = { userId: caller.userId, label: showEmail(email), issuer: config.brand.name };
    await assertMayEnrol(tx, caller);
    return createTotp(tx, config, account, clock.now());
  });
  return { status: 200, body: { otpauth_url: url, secret } };
};

/** Takes the first code of the app: it is asked for from now on. Answers the recovery codes; ends sessions that have shown no second factor. */
export const confirmTotp: AuthenticatedHandler<'confirmTotp'> = async (services, { caller, body, ip, userAgent }) => {
  const { db, clock, config } = services;
  const now = clock.now();
  await takeCodeAttempt(db, caller.userId, config.rateLimitMultiplier, now);
  const codes = await inTransaction(db, async (tx) => {
    await requireLiveCredential(tx, caller);
    await assertMayEnrol(tx, caller);
    const isFirst = !(await hasSecondFactor(tx, caller.userId));
    if (!(await redeemTotp(tx, config, caller.userId, { code: body.code, isConfirmed: false }, now)))
      throw invalid('The code is wrong.', [
        { path: '/body/code', message: 'is not the code that the app shows now', reason: 'wrong_code' },
      ]);
    await tx.updateTable('totp_secrets').set({ confirmed_at: now }).where('user_id', '=', caller.userId).execute();
    await noteSecondFactor(tx, { userId: caller.userId, sessionId: caller.sessionId ?? '' }, { isFirst }, now);
    const notice = { userId: caller.userId, event: 'app_added', origin: { network: ip, userAgent } } as const;
    await tellOwner(tx, services, { ...notice, id: String(now.getTime()) }, now);
    return createRecoveryCodes(tx, caller.userId);
  });
  await restoreCodeAttempts(db, caller.userId);
  return { status: 200, body: { recovery_codes: codes } };
};

/** Removes the caller's app and recovery codes, for whoever knows the password or has a code. */
export const removeTotp: AuthenticatedHandler<'removeTotp'> = async (services, { caller, body, ip, userAgent }) => {
  const { db, clock } = services;
  if (body.password === undefined) await assertCode(services, caller.userId, body.code ?? '');
  else {
    const user = await db
      .selectFrom('users')
      .select(['id', 'email', 'password_hash'])
      .where('id', '=', caller.userId)
      .executeTakeFirstOrThrow();
    await assertPassword(services, user, { password: body.password, path: '/body/password', network: ip });
  }
  await inTransaction(db, async (tx) => {
    await requireLiveCredential(tx, caller);
    const removed = await tx
      .deleteFrom('totp_secrets')
      .where('user_id', '=', caller.userId)
      .returning('confirmed_at')
      .executeTakeFirst();
    await forgetSecondFactor(tx, caller.userId);
    if (!removed?.confirmed_at) return;
    const now = clock.now();
    const notice = { userId: caller.userId, event: 'app_removed', origin: { network: ip, userAgent } } as const;
    await tellOwner(tx, services, { ...notice, id: String(now.getTime()) }, now);
  });
  return { status: 200, body: await presentTotp(db, caller.userId) };
};

async function assertCode(services: Services, userId: string, code: string): Promise<void> {
  if (await redeemCode(services, userId, code, services.clock.now())) return;
  throw invalid('The code is wrong.', [
    { path: '/body/code', message: 'is not the code that the app shows now', reason: 'wrong_code' },
  ]);
}

async function presentTotp(db: Services['db'], userId: string) {
  const confirmedAt = await findTotp(db, userId);
  return {
    enabled: confirmedAt !== undefined,
    confirmed_at: confirmedAt?.toISOString() ?? null,
    recovery_codes_left: confirmedAt ? await countRecoveryCodes(db, userId) : 0,
  };
}
