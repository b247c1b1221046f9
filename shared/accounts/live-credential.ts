import type { Pool } from 'pg';
import { unauthorized } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';

/**
 * Locks the caller's account until the transaction ends, against the end of its sessions and against its like. The body of a
 * request may come long after its credential: when the session has ended meanwhile it throws 401, so that it leaves nothing
 * behind.
 */
export async function requireLiveCredential(
  tx: Tx,
  { userId, sessionEpoch }: { userId: string; sessionEpoch: number },
): Promise<void> {
  const user = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('session_epoch', '=', sessionEpoch)
    .where('disabled_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!user) throw unauthorized('The credential is not valid.');
}

type Credential = { userId: string; role: string; sessionEpoch: number; via: 'session' | 'api_key'; bucket: string };

/** Whether a credential that was accepted earlier would still be: its account, its role, its sessions and its key are as they were. */
export async function isLiveCredential(pool: Pool, credential: Credential, now: Date): Promise<boolean> {
  const { userId, role, sessionEpoch, via, bucket } = credential;
  const { rowCount } = await pool.query({
    name: 'live-credential',
    text: `select 1 from users where id = $1 and role = $2 and session_epoch = $3 and disabled_at is null
             and ($4::text is null or exists (select 1 from api_keys
               where id = $4 and revoked_at is null and (expires_at is null or expires_at > $5)))`,
    values: [userId, role, sessionEpoch, via === 'api_key' ? bucket : null, now],
  });
  return rowCount === 1;
}
