import { unauthorized } from '../../shared/errors.ts';
import type { AuthenticatedHandler } from '../http/types.ts';
import { presentUser, userColumns } from './present.ts';

/** The caller's own account. */
export const getMe: AuthenticatedHandler<'getMe'> = async ({ db }, { caller }) => {
  const user = await db.selectFrom('users').select(userColumns).where('id', '=', caller.userId).executeTakeFirst();
  if (!user) throw unauthorized();
  return { status: 200, body: { user: presentUser(user) } };
};
