import type { AuthenticatedHandler } from '../http/types.ts';

/** Ends every session of the caller, this one too, on every process; API keys stay. */
export const logoutAll: AuthenticatedHandler<'logoutAll'> = async ({ db, clock }, { caller }) => {
  await db
    .updateTable('users')
    .set((build) => ({ session_epoch: build('session_epoch', '+', 1), updated_at: clock.now() }))
    .where('id', '=', caller.userId)
    .execute();
  return { status: 200, body: { logged_out: true } };
};
