import type { Response } from 'express';
import type { Clock } from '../../shared/kit/clock.ts';
import { rateLimited } from '../../shared/kit/errors.ts';
import type { Profile, RateRule } from '../../shared/profiles/profile.ts';
import { rateLimitHeaders } from '../../shared/kit/rate-limit-headers.ts';
import type { Caller } from './authenticate.ts';
import type { RateClass } from './contract.ts';
import type { RateLimiter } from './rate-limit.ts';

type RateLimiting = { profile: Profile; limiter: RateLimiter; clock: Clock; config: { rateLimitMultiplier: number } };

/**
 * Takes one request from the caller's budget of this class (the user's or key's, else the address's), names the budget
 * in the X-RateLimit headers, and throws 429 when nothing is left. An authenticated request never uses the address's.
 */
export async function enforceRateLimit(
  { profile, limiter, clock, config }: RateLimiting,
  rateClass: RateClass,
  caller: Caller | undefined,
  response: Response,
): Promise<void> {
  if (rateClass === 'none' || config.rateLimitMultiplier === 0) return;
  const rule = ruleFor(profile, rateClass, caller);
  const limit = Math.max(1, Math.floor(rule.limit * config.rateLimitMultiplier));
  const bucket = bucketOf(rule, caller) ?? (response.locals.network as string);
  const budget = { name: rule.bucket, limit, windowSeconds: rule.windowSeconds };
  const verdict = await limiter.take(bucket, budget);
  for (const [name, value] of Object.entries(rateLimitHeaders(budget, verdict.remaining, verdict.resetAt)))
    response.setHeader(name, value);
  if (verdict.allowed) return;
  const retryAfter = Math.ceil((verdict.resetAt.getTime() - clock.now().getTime()) / 1_000);
  throw rateLimited(`At most ${limit} requests per ${rule.windowSeconds} seconds here; try again later.`, retryAfter);
}

function bucketOf({ keyedBy }: RateRule, caller: Caller | undefined): string | undefined {
  return { ip: undefined, user: caller?.userId, 'user or key': caller?.bucket }[keyedBy];
}

function ruleFor(profile: Profile, rateClass: Exclude<RateClass, 'none'>, caller: Caller | undefined): RateRule {
  const rules = profile.rateLimits[rateClass];
  return caller ? rules.authenticated : rules.anonymous;
}
