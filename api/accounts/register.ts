import { inTransaction } from '../../db/client.ts';
import { localPartOf, normalizeEmail } from '../../shared/kit/email.ts';
import { requestLink } from '../../shared/accounts/link-requests.ts';
import { openSession } from '../../shared/accounts/sessions.ts';
import { assertPasswordStrength } from '../../shared/accounts/password-rule.ts';
import { conflict } from '../../shared/kit/errors.ts';
import { newId } from '../../shared/kit/ids.ts';
import { isUniqueViolation } from '../../shared/kit/postgres-errors.ts';
import type { Handler } from '../handler.ts';
import { presentSession, userColumns } from './present.ts';

/** Creates an account, asks its address for proof and answers a session; 409 when the address has one already, however it is spelled. */
export const register: Handler<'register'> = async (services, { body, locale, ip, userAgent }) => {
  const email = normalizeEmail(body.email);
  await assertPasswordStrength(body.password, email);
  const passwordHash = await services.passwords.hash(body.password);
  const now = services.clock.now();
  try {
    const { user, sessionId } = await inTransaction(services.db, async (tx) => {
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
        .returning([...userColumns, 'session_epoch'])
        .executeTakeFirstOrThrow();
      await requestLink(tx, services, 'verify_email', email);
      const opening = {
        userId: created.id,
        origin: { network: ip, userAgent },
        secondFactor: false,
        tellsOwner: false,
      };
      return { user: created, sessionId: await openSession(tx, services, opening) };
    });
    return { status: 201, body: presentSession(user, await services.tokens.sign(user, sessionId)) };
  } catch (error) {
    if (isUniqueViolation(error, 'users_email'))
      throw conflict('An account with this email exists already.', { reason: 'account_exists' });
    throw error;
  }
};
