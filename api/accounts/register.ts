import { inTransaction } from '../../db/client.ts';
import { normalizeEmail } from '../../shared/accounts/email.ts';
import { requestLink } from '../../shared/accounts/link-requests.ts';
import { conflict } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { isUniqueViolation } from '../../shared/postgres-errors.ts';
import type { Handler } from '../http/types.ts';
import { presentSession, userColumns } from './present.ts';

/** Creates an account, asks its address for proof and answers a session; 409 when the address has one already, whatever its letter case. */
export const register: Handler<'register'> = async (services, { body, locale }) => {
  const email = normalizeEmail(body.email);
  const passwordHash = await services.passwords.hash(body.password);
  const now = services.clock.now();
  try {
    const user = await inTransaction(services.db, async (tx) => {
      const created = await tx
        .insertInto('users')
        .values({
          id: newId('user'),
          email,
          name: body.name?.trim() ?? (email.split('@')[0] ?? email).slice(0, 100),
          language: locale,
          password_hash: passwordHash,
          created_at: now,
          updated_at: now,
        })
        .returning([...userColumns, 'role', 'session_epoch'])
        .executeTakeFirstOrThrow();
      await requestLink(tx, services, 'verify_email', email);
      return created;
    });
    return { status: 201, body: presentSession(user, await services.tokens.sign(user)) };
  } catch (error) {
    if (isUniqueViolation(error, 'users_email')) throw conflict('An account with this email exists already.');
    throw error;
  }
};
