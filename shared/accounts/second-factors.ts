import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { forbidden } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';
import { closeSessions } from './sessions.ts';

type SessionOf = { userId: string; sessionId: string };

/** Whether an account has codes of an app, or passkeys. */
export async function hasSecondFactor(db: Database, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select from totp_secrets where user_id = ${userId} and confirmed_at is not null
    union all select from passkeys where user_id = ${userId} limit 1`.execute(db);
  return rows.length > 0;
}

/** Notes that a session has shown a second factor; the first one of an account ends its other sessions, which have shown none. */
export async function noteSecondFactor(
  tx: Tx,
  { userId, sessionId }: SessionOf,
  { isFirst }: { isFirst: boolean },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ second_factor: true })
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .execute();
  if (isFirst) await closeSessions(tx, userId, now, sessionId);
}

/** Once the last second factor of an account is gone, no session of it counts as having shown one. */
export async function forgetSecondFactor(tx: Tx, userId: string): Promise<void> {
  if (await hasSecondFactor(tx, userId)) return;
  await tx.updateTable('sessions').set({ second_factor: false }).where('user_id', '=', userId).execute();
}

/** Takes every second factor from an account: whoever set them up had not proved its address. */
export async function removeSecondFactors(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('totp_secrets').where('user_id', '=', userId).execute();
  await tx.deleteFrom('passkeys').where('user_id', '=', userId).execute();
  await forgetSecondFactor(tx, userId);
}

/** A session that has shown no second factor where its role needs one sets up the first, never another beside one that it cannot show. */
export async function assertMayEnrol(
  tx: Tx,
  { userId, mustEnrol }: { userId: string; mustEnrol: boolean },
): Promise<void> {
  if (mustEnrol && (await hasSecondFactor(tx, userId)))
    throw forbidden('This account has a second factor: log in with it.');
}
