import { Secret, TOTP } from 'otpauth';
import type { Database } from '../../db/client.ts';
import { conflict, secondFactorRequired } from '../kit/errors.ts';
import { seal, unseal, type Sealed } from '../kit/seal.ts';
import type { Tx } from '../queues/jobs.ts';
import { restoreCodeAttempts, takeCodeAttempt } from './code-attempts.ts';
import { redeemRecoveryCode } from './recovery-codes.ts';

const SECRET_BYTES = 20;
/** Codes of the step before and after are taken too: clocks differ, and people type slowly. */
const WINDOW_STEPS = 1;

type Secrets = { jwtSecrets: readonly string[] };
type CodeCheck = { config: Secrets & { rateLimitMultiplier: number }; db: Database };

const contextOf = (userId: string) => `totp\n${userId}`;

/**
 * A new secret for an authenticator app (RFC 6238: SHA-1, six digits, 30 s), in place of one that was never confirmed; 409 when
 * there is a confirmed one. It is in this answer alone; what is stored is sealed.
 */
export async function createTotp(
  tx: Tx,
  { jwtSecrets }: Secrets,
  { userId, label, issuer }: { userId: string; label: string; issuer: string },
  now: Date,
): Promise<{ url: string; secret: string }> {
  const secret = new Secret({ size: SECRET_BYTES });
  const sealed = seal(jwtSecrets[0] ?? '', contextOf(userId), Buffer.from(secret.bytes));
  const row = { nonce: sealed.nonce, sealed_secret: sealed.body, created_at: now };
  const stored = await tx
    .insertInto('totp_secrets')
    .values({ user_id: userId, ...row })
    .onConflict((clash) => clash.column('user_id').doUpdateSet(row).where('totp_secrets.confirmed_at', 'is', null))
    .returning('user_id')
    .executeTakeFirst();
  if (!stored) throw conflict('This account has an authenticator app already; remove it first.');
  return { url: new TOTP({ issuer, label, secret }).toString(), secret: secret.base32 };
}

/** Takes a code of the app, once: a step that was used, or an earlier one, is refused. False for a wrong code, or without a secret. */
export async function redeemTotp(
  db: Database,
  { jwtSecrets }: Secrets,
  userId: string,
  { code, isConfirmed }: { code: string; isConfirmed: boolean },
  now: Date,
): Promise<boolean> {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return false;
  const row = await db
    .selectFrom('totp_secrets')
    .select(['nonce', 'sealed_secret as body'])
    .where('user_id', '=', userId)
    .where('confirmed_at', isConfirmed ? 'is not' : 'is', null)
    .executeTakeFirst();
  const secret = row && unseal(jwtSecrets, contextOf(userId), row);
  if (!secret) return false;
  const totp = new TOTP({ secret: new Secret({ buffer: new Uint8Array(secret).buffer }) });
  const timestamp = now.getTime();
  const delta = totp.validate({ token, timestamp, window: WINDOW_STEPS });
  if (delta === null) return false;
  const step = totp.counter({ timestamp }) + delta;
  const { numUpdatedRows } = await db
    .updateTable('totp_secrets')
    .set({ last_step: step, ...sealedAnew(jwtSecrets, userId, row, secret) })
    .where('user_id', '=', userId)
    .where((build) => build.or([build('last_step', 'is', null), build('last_step', '<', step)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** The secret under the first of the service's, where an older one has sealed it: that one may then be retired. */
function sealedAnew([current = '']: readonly string[], userId: string, sealed: Sealed, secret: Buffer) {
  if (unseal([current], contextOf(userId), sealed)) return {};
  const { nonce, body } = seal(current, contextOf(userId), secret);
  return { nonce, sealed_secret: body };
}

/** Since when signing in to an account asks for a code; undefined where it does not. */
export async function findTotp(db: Database, userId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('totp_secrets')
    .select('confirmed_at')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.confirmed_at ?? undefined;
}

/** A code of the app, or a recovery code, used up by this; 429 after ten wrong ones in an hour. */
export async function redeemCode({ db, config }: CodeCheck, userId: string, code: string, now: Date): Promise<boolean> {
  await takeCodeAttempt(db, userId, config.rateLimitMultiplier, now);
  const isGood =
    (await redeemTotp(db, config, userId, { code, isConfirmed: true }, now)) ||
    (await redeemRecoveryCode(db, userId, code, now));
  if (isGood) await restoreCodeAttempts(db, userId);
  return isGood;
}

/**
 * Asks for the second factor of somebody whose first was right. True when a good code was sent, false for an account without an
 * app; throws second_factor_required when no code, or a wrong one, came.
 */
export async function checkSecondFactor(
  services: CodeCheck,
  userId: string,
  code: string | undefined,
  now: Date,
): Promise<boolean> {
  if (!(await findTotp(services.db, userId))) return false;
  if (code === undefined)
    throw secondFactorRequired('This account needs a code of its authenticator app, or a recovery code, as `totp`.');
  if (await redeemCode(services, userId, code, now)) return true;
  throw secondFactorRequired('The code is wrong, has expired or was used before.');
}
