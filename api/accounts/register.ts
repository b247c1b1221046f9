import { normalizeEmail } from '../../shared/accounts/email.ts';
import { SESSION_SECONDS } from '../../shared/accounts/session-token.ts';
import { conflict } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { isUniqueViolation } from '../../shared/postgres-errors.ts';
import type { Handler } from '../http/types.ts';
import { presentUser, userColumns } from './present.ts';

/** Creates an account and answers a session; 409 when the address has one already, whatever its letter case. */
export const register: Handler<'register'> = async (services, { body, locale }) => {
  const email = normalizeEmail(body.email);
  const passwordHash = await services.passwords.hash(body.password);
  const now = services.clock.now();
  try {
    const user = await services.db
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
    return {
      status: 201,
      body: {
        user: presentUser(user),
        token: await services.tokens.sign(user),
        token_type: 'bearer' as const,
        expires_in: SESSION_SECONDS,
      },
    };
  } catch (error) {
    if (isUniqueViolation(error, 'users_email')) throw conflict('An account with this email exists already.');
    throw error;
  }
};
