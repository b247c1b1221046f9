import { createPrivateStorage } from '../adapters/create-storage.ts';
import { exportsOf } from './export-file.ts';
import type { EraseServices } from './erase-step.ts';

/** Deletes the archives that were made for the account, and the mails to it that wait in the outbox of this machine. */
export async function eraseFiles({ db, mailer, config }: EraseServices, userId: string): Promise<void> {
  const storage = await createPrivateStorage(config);
  const keys = (await Array.fromAsync(storage.list(exportsOf(userId)))).map(({ key }) => key);
  await storage.delete(keys);
  await db.deleteFrom('account_exports').where('user_id', '=', userId).execute();
  const leaving = await db
    .selectFrom('account_leavings')
    .select('email')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (leaving?.email) await mailer.forget(leaving.email);
}
