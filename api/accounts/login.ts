import { normalizeEmail } from '../../shared/accounts/email.ts';
import { unauthorized } from '../../shared/errors.ts';
import type { Handler } from '../http/types.ts';
import { presentSession, userColumns } from './present.ts';

/** Exchanges email and password for a session. A wrong password and an unknown address take as long and answer the same 401. */
export const login: Handler<'login'> = async ({ db, passwords, tokens }, { body }) => {
  const user = await db
    .selectFrom('users')
    .select([...userColumns, 'role', 'session_epoch', 'password_hash', 'disabled_at'])
    .where('email', '=', normalizeEmail(body.email))
    .executeTakeFirst();
  const fits = await passwords.verify(user?.password_hash, body.password);
  if (!user || !fits || user.disabled_at) throw unauthorized('The email or the password is wrong.');
  return { status: 200, body: presentSession(user, await tokens.sign(user)) };
};
