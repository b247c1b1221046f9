import { inTransaction, type Database } from '../../db/client.ts';
import { newId } from '../kit/ids.ts';
import type { Tx } from '../queues/jobs.ts';
import { normalizeEmail } from '../kit/email.ts';
import type { Passwords } from './password.ts';
import { replacePassword } from './take-over.ts';

/**
 * Makes sure that the configured administrator exists and has the role. The configured password is set for a new administrator,
 * and for an existing one only when it is another than was last applied: no start undoes a password that a person chose.
 */
export async function ensureAdmin(
  db: Database,
  passwords: Passwords,
  admin: { email: string; password: string },
  now: Date,
): Promise<void> {
  const email = normalizeEmail(admin.email);
  await inTransaction(db, async (tx) => {
    const known = await findForUpdate(tx, email);
    const applied = known?.applied_password_hash ?? null;
    if (known && applied !== null && (await passwords.verify(applied, admin.password))) {
      if (known.role !== 'admin') await makeAdmin(tx, known.id, applied, now);
      return;
    }
    const passwordHash = await passwords.hash(admin.password);
    const account = known ?? (await createAccount(tx, email, now));
    const wasAdmin = account.role === 'admin';
    // An administrator from before applied passwords were kept has the one that was applied last, or has chosen another since.
    const hasChosen = wasAdmin && applied === null && account.password_hash !== null;
    if (!hasChosen) await replacePassword(tx, account, { passwordHash, keepKeys: wasAdmin }, now);
    await makeAdmin(tx, account.id, passwordHash, now);
  });
}

function findForUpdate(tx: Tx, email: string) {
  return tx
    .selectFrom('users')
    .select(['id', 'role', 'verified', 'password_hash', 'applied_password_hash'])
    .where('email', '=', email)
    .forUpdate()
    .executeTakeFirst();
}

/** A fresh account, or the one that somebody has registered in this very moment. */
async function createAccount(tx: Tx, email: string, now: Date) {
  const fields = { email, name: 'Administrator', created_at: now, updated_at: now };
  await tx
    .insertInto('users')
    .values({ ...fields, id: newId('user') })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute();
  const account = await findForUpdate(tx, email);
  if (!account) throw new Error('the account of the administrator was deleted while it was made');
  return account;
}

async function makeAdmin(tx: Tx, id: string, appliedPasswordHash: string, now: Date): Promise<void> {
  await tx
    .updateTable('users')
    .set({ role: 'admin', verified: true, applied_password_hash: appliedPasswordHash, updated_at: now })
    .where('id', '=', id)
    .execute();
}
