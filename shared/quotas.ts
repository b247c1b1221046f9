import { sql } from 'kysely';
import { rateLimited } from './errors.ts';
import type { Tx } from './jobs.ts';
import type { QuotaName, QuotaRule } from './profiles/profile.ts';

type Use = {
  quota: QuotaName;
  rules: readonly QuotaRule[];
  subjects: { user: string; ip: string; admin: boolean };
  count?: number;
  multiplier: number;
};

/**
 * Uses `count` of an hourly or daily quota in the transaction of what it counts, so that a failure gives it back. The
 * guarded upsert lets exactly the limit through, however many processes race; beyond it, 429 with Retry-After.
 */
export async function useQuota(
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
    const used =
      count > limit
        ? undefined
        : await sql<{ used: number }>`
            insert into quota_uses as q (quota, subject, window_start, used)
            values (${`${quota}:${rule.keyedBy}`}, ${subjects[rule.keyedBy]}, ${start}, ${count})
            on conflict (quota, subject, window_start) do update set used = q.used + excluded.used
            where q.used + excluded.used <= ${limit}
            returning used`.execute(tx);
    if (used?.rows.length === 1) continue;
    const retryAfter = Math.ceil((start.getTime() + windowMs - now.getTime()) / 1_000);
    throw rateLimited(
      `At most ${limit} per ${rule.windowSeconds === 86_400 ? 'day' : 'hour'} here; try again later.`,
      retryAfter,
    );
  }
}
