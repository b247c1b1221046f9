import { sql } from 'kysely';
import { rateLimited } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';
import type { QuotaName, QuotaRule } from './profile.ts';
import { rateLimitHeaders } from '../kit/rate-limit-headers.ts';

type Use = {
  quota: QuotaName;
  rules: readonly QuotaRule[];
  subjects: { user: string; ip: string; admin: boolean };
  count?: number;
  multiplier: number;
};

/**
 * Uses `count` of an hourly or daily quota in the transaction of what it counts, so that a failure gives it back. The
 * guarded upsert lets exactly the limit through, however many processes race; beyond it, 429 with Retry-After and with the
 * X-RateLimit headers of the quota in place of the minute's.
 */
export async function consumeQuota(
  tx: Tx,
  { quota, rules, subjects, count = 1, multiplier }: Use,
  now: Date,
): Promise<void> {
  if (multiplier === 0) return;
  for (const rule of rules) {
    if (rule.adminsExempt && subjects.admin) continue;
    const limit = Math.max(1, Math.floor(rule.limit * multiplier));
    const windowMs = rule.windowSeconds * 1_000;
    const start = new Date(now.getTime() - (now.getTime() % windowMs));
    const [name, subject] = [`${quota}:${rule.keyedBy}`, subjects[rule.keyedBy]];
    const counted =
      count > limit
        ? undefined
        : await sql`
            insert into quota_uses as q (quota, subject, window_start, used)
            values (${name}, ${subject}, ${start}, ${count})
            on conflict (quota, subject, window_start) do update set used = q.used + excluded.used
            where q.used + excluded.used <= ${limit}
            returning used`.execute(tx);
    if (counted?.rows.length === 1) continue;
    const { rows } = await sql<{ used: number }>`
      select used from quota_uses where quota = ${name} and subject = ${subject} and window_start = ${start}`.execute(
      tx,
    );
    const resetAt = new Date(start.getTime() + windowMs);
    const headers = rateLimitHeaders(
      { name: quota, limit, windowSeconds: rule.windowSeconds },
      limit - (rows[0]?.used ?? 0),
      resetAt,
    );
    throw rateLimited(
      `At most ${limit} per ${rule.windowSeconds === 86_400 ? 'day' : 'hour'} here; try again later.`,
      Math.ceil((resetAt.getTime() - now.getTime()) / 1_000),
      headers,
    );
  }
}
