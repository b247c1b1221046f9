import { DAY_MS } from '../../shared/kit/clock.ts';

/** `Retry-After` in milliseconds, a day at most, whether it counts seconds or names a time; undefined when it says neither. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const waitMs = /^\s*\d+\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isNaN(waitMs) ? undefined : Math.min(DAY_MS, Math.max(0, waitMs));
}
