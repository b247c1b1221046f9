import { LRUCache } from 'lru-cache';

/** What took less to make is made anew each time. */
const COSTLY_MS = 500;
/** So long an answer is fresh; then it is stale, still given for a while, and made anew behind it. */
const FRESH_MS = 30_000;
const MAX_AGE_MS = 10 * 60_000;
const MAX_ENTRIES = 200;

type Entry = { answer: unknown; tookMs: number };

/** Answers by key: the cached one, or what `load` makes. */
export type StaleCache = <Answer>(key: string, load: () => Promise<Answer>) => Promise<Answer>;

/**
 * Stale-while-revalidate cache with request coalescing, for answers that take long to make. Nobody waits for an answer that is
 * there, nor makes one that somebody else is making: it is at most ten minutes old, and half a minute where it is asked for all
 * the time.
 */
export function createStaleCache(now: () => number = () => performance.now()): StaleCache {
  const entries = new LRUCache<string, Entry, () => Promise<unknown>>({
    max: MAX_ENTRIES,
    ttl: FRESH_MS,
    perf: { now },
    ttlResolution: 0,
    async fetchMethod(_key, _stale, { context: load }) {
      const startedAt = now();
      return { answer: await load(), tookMs: now() - startedAt };
    },
  });

  return async <Answer>(key: string, load: () => Promise<Answer>): Promise<Answer> => {
    const isUsable = entries.getRemainingTTL(key) > FRESH_MS - MAX_AGE_MS;
    const entry = await entries.forceFetch(key, { context: load, allowStale: isUsable });
    if (entry.tookMs < COSTLY_MS && entries.peek(key) === entry) entries.delete(key);
    return entry.answer as Answer;
  };
}
