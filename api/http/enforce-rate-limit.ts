import type { Response } from 'express';
import type { Clock } from '../../shared/kit/clock.ts';
import { rateLimited, type ServiceError } from '../../shared/kit/errors.ts';
import type { RateRule } from '../../shared/profiles/limits.ts';
import type { Profile } from '../../shared/profiles/profile.ts';
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
  const network = response.locals.network as string;
  const charge = await chargeBudget({ profile, limiter, clock, config }, rateClass, caller, network, 1);
  if (!charge) return;
  for (const [name, value] of Object.entries(charge.headers)) response.setHeader(name, value);
  if (charge.refusal) throw charge.refusal;
}

/**
 * Takes further requests from the same budget, for a call that does the work of several; answers the headers that name it
 * then, and throws 429 when it holds less.
 */
export async function chargeRequests(
  services: RateLimiting,
  rateClass: RateClass,
  caller: Caller | undefined,
  network: string,
  requests: number,
): Promise<Record<string, string>> {
  if (requests === 0) return {};
  const charge = await chargeBudget(services, rateClass, caller, network, requests);
  if (charge?.refusal) throw charge.refusal;
  return charge?.headers ?? {};
}

type Charge = { headers: Record<string, string>; refusal: ServiceError | undefined };

async function chargeBudget(
  { profile, limiter, clock, config }: RateLimiting,
  rateClass: RateClass,
  caller: Caller | undefined,
  network: string,
  requests: number,
): Promise<Charge | undefined> {
  if (rateClass === 'none' || config.rateLimitMultiplier === 0) return undefined;
  const rule = ruleFor(profile, rateClass, caller);
  const limit = Math.max(1, Math.floor(rule.limit * config.rateLimitMultiplier));
  const bucket = bucketOf(rule, caller) ?? network;
  const budget = { name: rule.bucket, limit, windowSeconds: rule.windowSeconds };
  // Those of one call are counted in one statement.
  const verdicts = await Promise.all(Array.from({ length: requests }, () => limiter.take(bucket, budget)));
  const { resetAt } = verdicts[0]!;
  const headers = rateLimitHeaders(budget, Math.min(...verdicts.map(({ remaining }) => remaining)), resetAt);
  if (verdicts.every(({ allowed }) => allowed)) return { headers, refusal: undefined };
  const retryAfter = Math.ceil((resetAt.getTime() - clock.now().getTime()) / 1_000);
  const message = `At most ${limit} requests per ${rule.windowSeconds} seconds here; try again later.`;
  return { headers, refusal: rateLimited(message, retryAfter, headers) };
}

function bucketOf({ keyedBy }: RateRule, caller: Caller | undefined): string | undefined {
  return { ip: undefined, user: caller?.userId, 'user or key': caller?.bucket }[keyedBy];
}

function ruleFor(profile: Profile, rateClass: Exclude<RateClass, 'none'>, caller: Caller | undefined): RateRule {
  const rules = profile.rateLimits[rateClass];
  return caller ? rules.authenticated : rules.anonymous;
}
