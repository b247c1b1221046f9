import type { Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import { newId } from '../ids.ts';
import { normalizeEmail } from './email.ts';
import type { Passwords } from './password.ts';

/** Makes sure that the configured administrator exists, has the role and can log in with the configured password. */
export async function ensureAdmin(
  db: Kysely<DB>,
  passwords: Passwords,
  admin: { email: string; password: string },
  now: Date,
): Promise<void> {
  const email = normalizeEmail(admin.email);
  const known = await db
    .selectFrom('users')
    .select(['id', 'role', 'password_hash'])
    .where('email', '=', email)
    .executeTakeFirst();
  if (known?.role === 'admin' && (await passwords.verify(known.password_hash, admin.password))) return;
  const passwordHash = await passwords.hash(admin.password);
  await db
    .insertInto('users')
    .values({
      id: newId('user'),
      email,
      name: 'Administrator',
      role: 'admin',
      verified: true,
      password_hash: passwordHash,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .column('email')
        .doUpdateSet({ role: 'admin', verified: true, password_hash: passwordHash, updated_at: now }),
    )
    .execute();
}
