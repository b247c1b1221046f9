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
  { userId, sessionEpoch, sessionId }: { userId: string; sessionEpoch: number; sessionId: string | undefined },
): Promise<void> {
  const user = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('session_epoch', '=', sessionEpoch)
    .where('disabled_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('sessions')
            .select('id')
            .where('id', '=', sessionId ?? '')
            .where('ended_at', 'is not', null),
        ),
      ),
    )
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!user) throw unauthorized('The credential is not valid.');
}

type Credential = {
  userId: string;
  role: string;
  sessionEpoch: number;
  sessionId: string | undefined;
  via: 'session' | 'api_key' | 'oauth';
  bucket: string;
};

/** Whether a credential that was accepted earlier would still be: its account, role and session, and its key or grant are as they were. */
export async function isLiveCredential(pool: Pool, credential: Credential, now: Date): Promise<boolean> {
  const { userId, role, sessionEpoch, sessionId, via, bucket } = credential;
  const { rowCount } = await pool.query({
    name: 'live-credential',
    text: `select 1 from users where id = $1 and role = $2 and session_epoch = $3 and disabled_at is null
             and not exists (select 1 from sessions where id = $6 and ended_at is not null)
             and ($4::text is null or exists (select 1 from api_keys
               where id = $4 and revoked_at is null and (expires_at is null or expires_at > $5)))
             and ($7::text is null or exists (select 1 from oauth_grants where id = $7 and revoked_at is null and expires_at > $5))`,
    values: [
      userId,
      role,
      sessionEpoch,
      via === 'api_key' ? bucket : null,
      now,
      sessionId ?? null,
      via === 'oauth' ? bucket : null,
    ],
  });
  return rowCount === 1;
}
