import { createHash, randomBytes } from 'node:crypto';
import { addMilliseconds, DAY_MS, HOUR_MS, MINUTE_MS } from '../kit/clock.ts';
import type { Database } from '../../db/client.ts';
import type { Tx } from '../queues/jobs.ts';

/** What the link of a mail is good for; each token serves one purpose, once. */
export type Purpose = 'magic_link' | 'password_reset' | 'verify_email';

/** How long a link to sign in is good. */
export const MAGIC_LINK_MS = 15 * MINUTE_MS;

const lifetimesMs: Record<Purpose, number> = {
  magic_link: MAGIC_LINK_MS,
  password_reset: HOUR_MS,
  verify_email: 7 * DAY_MS,
};

const hashOf = (token: string) => createHash('sha256').update(token).digest();

/** A new single-use token (32 random bytes as base64url); what is stored of it is its SHA-256. */
export async function createAccountToken(
  db: Database,
  { purpose, user }: { purpose: Purpose; user: { id: string; email: string } },
  now: Date,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await db
    .insertInto('account_tokens')
    .values({
      token_hash: hashOf(token),
      user_id: user.id,
      purpose,
      email: user.email,
      created_at: now,
      expires_at: addMilliseconds(now, lifetimesMs[purpose]),
    })
    .execute();
  return token;
}

/** The account whose token could be redeemed now; undefined for any other. It changes nothing. */
export async function findRedeemable(
  db: Database,
  purpose: Purpose,
  token: string,
  now: Date,
): Promise<{ id: string; email: string; verified: boolean } | undefined> {
  return db
    .selectFrom('account_tokens as t')
    .innerJoin('users as u', (join) => join.onRef('u.id', '=', 't.user_id').onRef('u.email', '=', 't.email'))
    .select(['u.id', 'u.email', 'u.verified'])
    .where('t.token_hash', '=', hashOf(token))
    .where('t.purpose', '=', purpose)
    .where('t.used_at', 'is', null)
    .where('t.expires_at', '>', now)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst();
}

/** Whose token this is, unused and in its time, whatever has become of the account. */
export async function findTokenOwner(
  db: Database,
  purpose: Purpose,
  token: string,
  now: Date,
): Promise<string | undefined> {
  const found = await db
    .selectFrom('account_tokens')
    .select('user_id')
    .where('token_hash', '=', hashOf(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return found?.user_id;
}

/**
 * Redeems a token and ends the other open ones of its purpose. It answers the account, locked until the transaction ends;
 * undefined for a token that is unknown, used, expired, for another purpose, or of a disabled account.
 */
export async function redeemToken(tx: Tx, purpose: Purpose, token: string, now: Date) {
  const hash = hashOf(token);
  // The account is locked before its tokens: two of them redeemed at once take turns.
  const account = await tx
    .selectFrom('users')
    .select(['id', 'email', 'verified'])
    .where('id', '=', (build) =>
      build
        .selectFrom('account_tokens')
        .select('user_id')
        .where('token_hash', '=', hash)
        .where('purpose', '=', purpose),
    )
    .where('disabled_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!account) return undefined;
  const redeemed = await tx
    .updateTable('account_tokens')
    .set({ used_at: now })
    .where('token_hash', '=', hash)
    .where('email', '=', account.email)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  if (!redeemed) return undefined;
  await tx
    .updateTable('account_tokens')
    .set({ used_at: now })
    .where('user_id', '=', account.id)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .execute();
  return account;
}
