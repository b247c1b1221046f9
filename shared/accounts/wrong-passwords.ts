import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { HOUR_MS } from '../kit/clock.ts';
import { rateLimited } from '../kit/errors.ts';
import { rateLimitHeaders } from '../kit/rate-limit-headers.ts';
import { isKnownNetwork } from './login-networks.ts';

/** Wrong passwords of one account in an hour, from all networks that never opened it together, and from each that did. */
const MAX_WRONG_PASSWORDS = 10;
const QUOTA = 'wrong_passwords';

/** What the wrong passwords of a try to log in are counted in; undefined while limits are off. */
export type WrongPasswords = { subject: string; windowStart: Date; limit: number; now: Date } | undefined;

type Attempt = { email: string; userId: string | undefined; network: string };

/**
 * Throttles password guessing per account by a fixed-window counter in the database, whatever addresses the guesses come from.
 * The owner is not locked out by it: a network that the account was opened from has a counter of its own, which others cannot
 * use up. Addresses without an account are counted alike. Throws 429 when the counter is full.
 */
export async function startPasswordAttempt(
  db: Database,
  { email, userId, network }: Attempt,
  multiplier: number,
  now: Date,
): Promise<WrongPasswords> {
  if (multiplier === 0) return undefined;
  const isKnown = await isKnownNetwork(db, userId, network);
  const counted: WrongPasswords = {
    subject: createHash('sha256')
      .update(isKnown ? `${email} ${network}` : email)
      .digest('base64url'),
    windowStart: new Date(now.getTime() - (now.getTime() % HOUR_MS)),
    limit: Math.max(1, Math.floor(MAX_WRONG_PASSWORDS * multiplier)),
    now,
  };
  await assertAttemptsLeft(db, counted);
  return counted;
}

/** Throws 429 when the counter is full: a right password that was guessed beside the last wrong one opens nothing. */
export async function assertAttemptsLeft(db: Database, counted: WrongPasswords): Promise<void> {
  if (!counted) return;
  const row = await db
    .selectFrom('quota_uses')
    .select('used')
    .where('quota', '=', QUOTA)
    .where('subject', '=', counted.subject)
    .where('window_start', '=', counted.windowStart)
    .executeTakeFirst();
  if (row && row.used >= counted.limit) throw tooMany(counted);
}

/** Counts a wrong password; throws 429 in place of the caller's answer when others have filled the counter meanwhile. */
export async function countWrongPassword(db: Database, counted: WrongPasswords): Promise<void> {
  if (!counted) return;
  const { rows } = await sql`
    insert into quota_uses as q (quota, subject, window_start, used)
    values (${QUOTA}, ${counted.subject}, ${counted.windowStart}, 1)
    on conflict (quota, subject, window_start) do update set used = q.used + 1 where q.used < ${counted.limit}
    returning used`.execute(db);
  if (rows.length === 0) throw tooMany(counted);
}

function tooMany({ limit, windowStart, now }: NonNullable<WrongPasswords>) {
  const resetAt = new Date(windowStart.getTime() + HOUR_MS);
  return rateLimited(
    'Too many wrong passwords for this account; log in with a link by mail, or try again later.',
    Math.ceil((resetAt.getTime() - now.getTime()) / 1_000),
    rateLimitHeaders({ name: QUOTA, limit, windowSeconds: HOUR_MS / 1_000 }, 0, resetAt),
  );
}
