/** The X-RateLimit headers of an answer: the budget it was charged to, or the quota that has refused it. */
export function rateLimitHeaders(
  { name, limit, windowSeconds }: { name: string; limit: number; windowSeconds: number },
  remaining: number,
  resetAt: Date,
): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(Math.max(0, remaining)),
    'X-RateLimit-Reset': String(Math.ceil(resetAt.getTime() / 1_000)),
    'X-RateLimit-Policy': `${limit};w=${windowSeconds};name="${name}"`,
  };
}
