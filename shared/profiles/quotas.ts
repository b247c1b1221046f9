import { sql } from 'kysely';
import { rateLimited } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';
import type { QuotaName, QuotaRule } from './limits.ts';
import { rateLimitHeaders } from '../kit/rate-limit-headers.ts';
import { DAY_SECONDS } from '../kit/clock.ts';

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
    const use = { name: quota, key: `${quota}:${rule.keyedBy}`, subject: subjects[rule.keyedBy], count };
    await countUse(tx, { ...use, limit, windowSeconds: rule.windowSeconds }, now);
  }
}

/** Uses `count` of what an API key may publish in a day (UTC), in the transaction that publishes; 429 beyond it, as quotas are. */
export async function consumePublications(
  tx: Tx,
  { keyId, limit, count }: { keyId: string; limit: number; count: number },
  now: Date,
): Promise<void> {
  const name = 'publications';
  await countUse(tx, { name, key: `${name}:key`, subject: keyId, limit, windowSeconds: DAY_SECONDS, count }, now);
}

type CountedUse = {
  name: string;
  key: string;
  subject: string;
  count: number;
  limit: number;
  windowSeconds: number;
};

async function countUse(tx: Tx, { name, key, subject, count, limit, windowSeconds }: CountedUse, now: Date) {
  const windowMs = windowSeconds * 1_000;
  const start = new Date(now.getTime() - (now.getTime() % windowMs));
  if (count <= limit) {
    const { rows } = await sql`
      insert into quota_uses as q (quota, subject, window_start, used)
      values (${key}, ${subject}, ${start}, ${count})
      on conflict (quota, subject, window_start) do update set used = q.used + excluded.used
      where q.used + excluded.used <= ${limit}
      returning used`.execute(tx);
    if (rows.length === 1) return;
  }
  const { rows } = await sql<{ used: number }>`
    select used from quota_uses where quota = ${key} and subject = ${subject} and window_start = ${start}`.execute(tx);
  const resetAt = new Date(start.getTime() + windowMs);
  throw rateLimited(
    `At most ${limit} per ${windowSeconds === DAY_SECONDS ? 'day' : 'hour'} here; try again later.`,
    Math.ceil((resetAt.getTime() - now.getTime()) / 1_000),
    rateLimitHeaders({ name, limit, windowSeconds }, limit - (rows[0]?.used ?? 0), resetAt),
  );
}
