import type { Tx } from '../queues/jobs.ts';
import { forgetNetworks } from './login-networks.ts';
import { recordProfileChange } from './profile-changed.ts';
import { revokeAccess, type RevokedAccess } from './revoke-access.ts';
import { removeSecondFactors } from './second-factors.ts';
import { closeSessions } from './sessions.ts';

type Account = { id: string; verified: boolean };

/** Marks the address of an account as proved; what was given to the account before stays. */
export async function markVerified(tx: Tx, { id }: Account, now: Date): Promise<void> {
  await tx.updateTable('users').set({ verified: true, updated_at: now }).where('id', '=', id).execute();
  await recordProfileChange(tx, id, now);
}

/**
 * Hands an account to whoever has just proved its address. Had nobody proved it before, then whoever registered it may be a
 * stranger: the password, the keys, the sessions, the webhooks and the second factors from before this proof end.
 */
export async function claimAccount(tx: Tx, account: Account, now: Date): Promise<void> {
  if (account.verified) return;
  await setPassword(tx, account.id, null, now);
  await removeSecondFactors(tx, account.id);
  await revokeAccess(tx, account.id, now);
  await recordProfileChange(tx, account.id, now);
}

/**
 * Sets a new password: every session ends, and so do keys and webhooks, unless `keepKeys` asks otherwise and the address was
 * proved before. Answers which these were.
 */
export async function replacePassword(
  tx: Tx,
  account: Account,
  { passwordHash, keepKeys }: { passwordHash: string; keepKeys: boolean },
  now: Date,
): Promise<RevokedAccess> {
  await setPassword(tx, account.id, passwordHash, now);
  if (!account.verified) {
    await removeSecondFactors(tx, account.id);
    await recordProfileChange(tx, account.id, now);
  }
  return keepKeys && account.verified ? {} : revokeAccess(tx, account.id, now);
}

/** Sets the password of an account whose row is locked, for whoever knew the one before: sessions end, and keys and webhooks if asked for. */
export async function updatePassword(
  tx: Tx,
  userId: string,
  { passwordHash, keepKeys }: { passwordHash: string; keepKeys: boolean },
  now: Date,
): Promise<{ ended: RevokedAccess; epoch: number }> {
  const { session_epoch: epoch } = await tx
    .updateTable('users')
    .set((build) => ({
      password_hash: passwordHash,
      session_epoch: build('session_epoch', '+', 1),
      updated_at: now,
    }))
    .where('id', '=', userId)
    .returning('session_epoch')
    .executeTakeFirstOrThrow();
  await closeSessions(tx, userId, now);
  await forgetNetworks(tx, userId);
  return { ended: keepKeys ? {} : await revokeAccess(tx, userId, now), epoch };
}

/** The address counts as proved from here on; sessions, and the networks that the account was opened from, are forgotten. */
async function setPassword(tx: Tx, userId: string, passwordHash: string | null, now: Date): Promise<void> {
  await tx
    .updateTable('users')
    .set((build) => ({
      verified: true,
      password_hash: passwordHash,
      session_epoch: build('session_epoch', '+', 1),
      updated_at: now,
    }))
    .where('id', '=', userId)
    .execute();
  await closeSessions(tx, userId, now);
  await forgetNetworks(tx, userId);
}
