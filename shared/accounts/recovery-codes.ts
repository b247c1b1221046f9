import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { Tx } from '../queues/jobs.ts';

const CODES = 10;
const CODE_BYTES = 8;

/** SHA-256 is enough for 64 random bits: nobody can try them all. */
const hashOf = (code: string) => createHash('sha256').update(code).digest();

/** Replaces the recovery codes of an account by ten new ones (64 random bits as `xxxx-xxxx-xxxx-xxxx`); what is stored is their hashes. */
export async function createRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () => randomBytes(CODE_BYTES).toString('hex'));
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, code_hash: hashOf(code) })))
    .execute();
  return codes.map((code) => code.match(/.{4}/g)!.join('-'));
}

/** Uses a recovery code up, however it is spaced; false for one that is unknown or used. */
export async function redeemRecoveryCode(db: Database, userId: string, text: string, now: Date): Promise<boolean> {
  const code = text.toLowerCase().replaceAll(/[^0-9a-f]/g, '');
  const { numUpdatedRows } = await db
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('code_hash', '=', hashOf(code))
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** How many recovery codes of an account are unused. */
export async function countRecoveryCodes(db: Database, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from recovery_codes where user_id = ${userId} and used_at is null`.execute(db);
  return rows[0]?.count ?? 0;
}
