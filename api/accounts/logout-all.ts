import { inTransaction } from '../../db/client.ts';
import { revokeAccess } from '../../shared/accounts/revoke-access.ts';
import { endSessions } from '../../shared/accounts/sessions.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Ends every session of the caller, this one too, on every process; with `keys` every API key and webhook as well. */
export const logoutAll: AuthenticatedHandler<'logoutAll'> = async ({ db, clock }, { caller, body }) => {
  const now = clock.now();
  const revoked = await inTransaction(db, async (tx) => {
    await endSessions(tx, caller.userId, now);
    return body?.keys ? revokeAccess(tx, caller.userId, now) : {};
  });
  return { status: 200, body: { logged_out: true, ...revoked } };
};
