import { z } from 'zod';

const MAX_LIMIT = 1_000_000_000;
const MAX_WINDOW_SECONDS = 31 * 86_400;
const MAX_RULES = 10;

/** What an operation counts as: `x-rate-limit` in openapi.yaml names one of these. */
export const RATE_CLASSES = ['read', 'write', 'credentials', 'upload', 'admin'] as const;
export type RateClass = (typeof RATE_CLASSES)[number];

/**
 * Calls that name the same bucket for the same key share one budget: that of an address, of a user with all of their keys,
 * or of a session's user and of each key on its own.
 */
export type RateRule = { bucket: string; limit: number; windowSeconds: number; keyedBy: 'ip' | 'user' | 'user or key' };

export type RateRules = Record<RateClass, { anonymous: RateRule; authenticated: RateRule }>;

/** What is counted by the hour or the day. */
export const QUOTAS = [
  'listing_creation',
  'image_upload',
  'ai_generation',
  'contact_owner',
  'ingest_records',
  'new_conversation',
] as const;
export type QuotaName = (typeof QUOTAS)[number];

/** An exact limit of successful uses; all rules of a quota hold at once. */
export type QuotaRule = { limit: number; windowSeconds: number; keyedBy: 'ip' | 'user'; adminsExempt: boolean };

const limit = z.int().min(1).max(MAX_LIMIT);
const window = z.int().min(1).max(MAX_WINDOW_SECONDS);

const rateRule = z
  .strictObject({
    bucket: z.string().regex(/^[a-z][a-z0-9_-]{0,40}$/),
    limit,
    window_seconds: window,
    keyed_by: z.enum(['ip', 'user', 'user or key']),
  })
  .transform(({ bucket, limit, window_seconds, keyed_by }): RateRule => ({
    bucket,
    limit,
    windowSeconds: window_seconds,
    keyedBy: keyed_by,
  }));
const anonymousRule = rateRule.refine(({ keyedBy }) => keyedBy === 'ip', {
  path: ['keyed_by'],
  message: 'must be ip: who is not signed in has no other key',
});
const rateClass = z.strictObject({ anonymous: anonymousRule, authenticated: rateRule });

const quotaRule = z
  .strictObject({
    limit,
    window_seconds: window,
    keyed_by: z.enum(['ip', 'user']),
    admins_exempt: z.boolean().default(false),
  })
  .transform(({ limit, window_seconds, keyed_by, admins_exempt }): QuotaRule => ({
    limit,
    windowSeconds: window_seconds,
    keyedBy: keyed_by,
    adminsExempt: admins_exempt,
  }));
const quotaRules = z.array(quotaRule).max(MAX_RULES);

/** The section `limits` of a marketplace file. */
export const limitsSchema = z.strictObject({
  rates: z.strictObject({
    read: rateClass,
    write: rateClass,
    credentials: rateClass,
    upload: rateClass,
    admin: rateClass,
  } satisfies Record<RateClass, unknown>),
  quotas: z.strictObject({
    listing_creation: quotaRules,
    image_upload: quotaRules,
    ai_generation: quotaRules,
    contact_owner: quotaRules,
    ingest_records: quotaRules,
    new_conversation: quotaRules,
  } satisfies Record<QuotaName, unknown>),
});
