import type { Response } from 'express';
import type { Clock } from '../../shared/clock.ts';
import { rateLimited } from '../../shared/errors.ts';
import type { Profile, RateRule } from '../../shared/profiles/profile.ts';
import type { Caller } from './authenticate.ts';
import type { RateClass } from './contract.ts';
import type { RateLimiter } from './rate-limit.ts';

type Dependencies = { profile: Profile; limiter: RateLimiter; clock: Clock; config: { rateLimitMultiplier: number } };

/**
 * Takes one request from the caller's budget of this class (the user's or key's, else the address's), names the budget
 * in the X-RateLimit headers, and throws 429 when nothing is left. An authenticated request never uses the address's.
 */
export async function takeFromBudget(
  { profile, limiter, clock, config }: Dependencies,
  rateClass: RateClass,
  caller: Caller | undefined,
  response: Response,
): Promise<void> {
  if (rateClass === 'none' || config.rateLimitMultiplier === 0) return;
  const rule = ruleFor(profile, rateClass, caller);
  const limit = Math.max(1, Math.floor(rule.limit * config.rateLimitMultiplier));
  const bucket = rule.keyedBy === 'user' && caller ? caller.bucket : (response.locals.network as string);
  const verdict = await limiter.take(bucket, { name: rule.bucket, limit, windowSeconds: rule.windowSeconds });
  const resetSeconds = Math.ceil(verdict.resetAt.getTime() / 1_000);
  response.setHeader('X-RateLimit-Limit', String(limit));
  response.setHeader('X-RateLimit-Remaining', String(Math.max(0, verdict.remaining)));
  response.setHeader('X-RateLimit-Reset', String(resetSeconds));
  response.setHeader('X-RateLimit-Policy', `${limit};w=${rule.windowSeconds};name="${rule.bucket}"`);
  if (verdict.allowed) return;
  const retryAfter = Math.ceil(resetSeconds - clock.now().getTime() / 1_000);
  throw rateLimited(`At most ${limit} requests per ${rule.windowSeconds} seconds here; try again later.`, retryAfter);
}

function ruleFor(profile: Profile, rateClass: Exclude<RateClass, 'none'>, caller: Caller | undefined): RateRule {
  const rules = profile.rateLimits[rateClass];
  return caller ? rules.authenticated : rules.anonymous;
}
