import type { Tx } from '../jobs.ts';
import { announceProfile } from './profile-changed.ts';

type Account = { id: string; verified: boolean };

/** Marks the address of an account as proved; what was given to the account before stays. */
export async function markVerified(tx: Tx, { id }: Account, now: Date): Promise<void> {
  await tx.updateTable('users').set({ verified: true, updated_at: now }).where('id', '=', id).execute();
  await announceProfile(tx, id, now);
}

/**
 * Hands an account to whoever has just proved its address. Had nobody proved it before, then whoever registered it may be a
 * stranger: the password, the keys, the sessions and the webhooks from before this proof end.
 */
export async function takeOver(tx: Tx, account: Account, now: Date): Promise<void> {
  if (account.verified) return;
  await tx
    .updateTable('users')
    .set((build) => ({
      verified: true,
      password_hash: null,
      session_epoch: build('session_epoch', '+', 1),
      updated_at: now,
    }))
    .where('id', '=', account.id)
    .execute();
  await shutOut(tx, account.id, now);
  await announceProfile(tx, account.id, now);
}

/** Sets a new password and ends every session; where the address was never proved before, keys and webhooks end too. */
export async function replacePassword(tx: Tx, account: Account, passwordHash: string, now: Date): Promise<void> {
  await tx
    .updateTable('users')
    .set((build) => ({
      verified: true,
      password_hash: passwordHash,
      session_epoch: build('session_epoch', '+', 1),
      updated_at: now,
    }))
    .where('id', '=', account.id)
    .execute();
  if (account.verified) return;
  await shutOut(tx, account.id, now);
  await announceProfile(tx, account.id, now);
}

async function shutOut(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
  await tx.updateTable('webhooks').set({ active: false }).where('user_id', '=', userId).execute();
}
