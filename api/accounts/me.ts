import { inTransaction } from '../../db/client.ts';
import { recordProfileChange } from '../../shared/accounts/profile-changed.ts';
import { unauthorized } from '../../shared/kit/errors.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { presentUser, userColumns } from './present.ts';

/** The caller's own account. */
export const getMe: AuthenticatedHandler<'getMe'> = async ({ db }, { caller }) => {
  const user = await db.selectFrom('users').select(userColumns).where('id', '=', caller.userId).executeTakeFirst();
  if (!user) throw unauthorized();
  return { status: 200, body: { user: presentUser(user) } };
};

/** Changes the caller's name and whether they get non-essential mail; what is not named stays. */
export const updateMe: AuthenticatedHandler<'updateMe'> = async ({ db, clock }, { caller, body }) => {
  const now = clock.now();
  const user = await inTransaction(db, async (tx) => {
    const changed = await tx
      .updateTable('users')
      .set({
        ...(body.name !== undefined && { name: body.name.trim() }),
        ...(body.email_notifications !== undefined && { email_notifications: body.email_notifications }),
        updated_at: now,
      })
      .where('id', '=', caller.userId)
      .returning(userColumns)
      .executeTakeFirst();
    if (body.name !== undefined) await recordProfileChange(tx, caller.userId, now);
    return changed;
  });
  if (!user) throw unauthorized();
  return { status: 200, body: { user: presentUser(user) } };
};
