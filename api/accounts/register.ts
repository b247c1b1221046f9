import { inTransaction } from '../../db/client.ts';
import { localPartOf, normalizeEmail } from '../../shared/kit/email.ts';
import { requestLink } from '../../shared/accounts/link-requests.ts';
import { rememberNetwork } from '../../shared/accounts/login-networks.ts';
import { assertPasswordStrength } from '../../shared/accounts/password-rule.ts';
import { conflict } from '../../shared/kit/errors.ts';
import { newId } from '../../shared/kit/ids.ts';
import { isUniqueViolation } from '../../shared/kit/postgres-errors.ts';
import type { Handler } from '../handler.ts';
import { presentSession, userColumns } from './present.ts';

/** Creates an account, asks its address for proof and answers a session; 409 when the address has one already, however it is spelled. */
export const register: Handler<'register'> = async (services, { body, locale, ip }) => {
  const email = normalizeEmail(body.email);
  await assertPasswordStrength(body.password, email);
  const passwordHash = await services.passwords.hash(body.password);
  const now = services.clock.now();
  try {
    const user = await inTransaction(services.db, async (tx) => {
      const created = await tx
        .insertInto('users')
        .values({
          id: newId('user'),
          email,
          name: body.name?.trim() ?? localPartOf(email),
          language: locale,
          password_hash: passwordHash,
          created_at: now,
          updated_at: now,
        })
        .returning([...userColumns, 'role', 'session_epoch'])
        .executeTakeFirstOrThrow();
      await rememberNetwork(tx, created.id, ip, now);
      await requestLink(tx, services, 'verify_email', email);
      return created;
    });
    return { status: 201, body: presentSession(user, await services.tokens.sign(user)) };
  } catch (error) {
    if (isUniqueViolation(error, 'users_email')) throw conflict('An account with this email exists already.');
    throw error;
  }
};
