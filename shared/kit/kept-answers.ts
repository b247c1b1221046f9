import { LRUCache } from 'lru-cache';

/** What took less is made anew each time. */
const COSTLY_MS = 500;
/** So long an answer is as good as new; then it is still given for a while, and made anew behind it. */
const FRESH_MS = 30_000;
const KEEP_MS = 10 * 60_000;
const MAX_ANSWERS = 200;

/**
 * A stale-while-revalidate cache for answers that take long to make. Nobody waits for one that is there, nor makes one that
 * somebody else is making: an answer is at most ten minutes old, and half a minute where it is asked for all the time.
 */
export function keepAnswers<Answer>(now: () => number = () => performance.now()) {
  type Kept = { answer: Answer; tookMs: number };
  const cache = new LRUCache<string, Kept, () => Promise<Answer>>({
    max: MAX_ANSWERS,
    ttl: FRESH_MS,
    perf: { now },
    ttlResolution: 0,
    async fetchMethod(_key, _stale, { context: load }) {
      const startedAt = now();
      return { answer: await load(), tookMs: now() - startedAt };
    },
  });

  return async (key: string, load: () => Promise<Answer>): Promise<Answer> => {
    const isUsable = cache.getRemainingTTL(key) > FRESH_MS - KEEP_MS;
    const kept = await cache.forceFetch(key, { context: load, allowStale: isUsable });
    if (kept.tookMs < COSTLY_MS && cache.peek(key) === kept) cache.delete(key);
    return kept.answer;
  };
}
