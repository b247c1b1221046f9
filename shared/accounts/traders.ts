import type { Database } from '../../db/client.ts';
import type { Tx } from '../queues/jobs.ts';
import { recordProfileChange } from './profile-changed.ts';

const columns = [
  'name',
  'address',
  'country',
  'register',
  'register_number',
  'email',
  'phone',
  'certified_at',
] as const;

/** What somebody has declared as a trader (Digital Services Act, article 30); undefined for a private person. */
export const findTrader = (db: Database, userId: string) =>
  db.selectFrom('traders').select(columns).where('user_id', '=', userId).executeTakeFirst();

export type Trader = NonNullable<Awaited<ReturnType<typeof findTrader>>>;

/** Stores a declaration, or replaces the one that is there; what shows the seller follows. */
export async function storeTrader(
  tx: Tx,
  userId: string,
  trader: Omit<Trader, 'certified_at'>,
  now: Date,
): Promise<void> {
  const fields = { ...trader, certified_at: now, updated_at: now };
  await tx
    .insertInto('traders')
    .values({ user_id: userId, ...fields })
    .onConflict((conflicting) => conflicting.column('user_id').doUpdateSet(fields))
    .execute();
  await recordProfileChange(tx, userId, now);
}

/** Takes a declaration back, if there is one. */
export async function deleteTrader(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx.deleteFrom('traders').where('user_id', '=', userId).execute();
  await recordProfileChange(tx, userId, now);
}
