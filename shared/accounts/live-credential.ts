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
