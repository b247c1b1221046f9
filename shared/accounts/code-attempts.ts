import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { HOUR_MS } from '../kit/clock.ts';
import { rateLimited } from '../kit/errors.ts';
import { rateLimitHeaders } from '../kit/rate-limit-headers.ts';

/** Codes that are tried for one account in an hour, wherever they come from. */
const MAX_CODES = 10;
const QUOTA = 'wrong_codes';

/** Takes one of the tries of the hour before the code is looked at, so that parallel guesses share them; throws 429 when none is left. */
export async function takeCodeAttempt(db: Database, userId: string, multiplier: number, now: Date): Promise<void> {
  if (multiplier === 0) return;
  const limit = Math.max(1, Math.floor(MAX_CODES * multiplier));
  const windowStart = new Date(now.getTime() - (now.getTime() % HOUR_MS));
  const { rows } = await sql`
    insert into quota_uses as q (quota, subject, window_start, used) values (${QUOTA}, ${userId}, ${windowStart}, 1)
    on conflict (quota, subject, window_start) do update set used = q.used + 1 where q.used < ${limit}
    returning used`.execute(db);
  if (rows.length > 0) return;
  const resetAt = new Date(windowStart.getTime() + HOUR_MS);
  throw rateLimited(
    'Too many wrong codes for this account; sign in with a passkey, or try again later.',
    Math.ceil((resetAt.getTime() - now.getTime()) / 1_000),
    rateLimitHeaders({ name: QUOTA, limit, windowSeconds: HOUR_MS / 1_000 }, 0, resetAt),
  );
}

/** Gives the tries back to whoever had a right code. */
export async function restoreCodeAttempts(db: Database, userId: string): Promise<void> {
  await db.deleteFrom('quota_uses').where('quota', '=', QUOTA).where('subject', '=', userId).execute();
}
