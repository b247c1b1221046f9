import { LRUCache } from 'lru-cache';

type Entry<Answer> = { answer: Answer; madeAt: number };

/** What took less to make is made anew each time. */
const COSTLY_MS = 500;
/** So long an answer is as good as new; then it is stale, still given for a while, and made anew behind it. */
const FRESH_MS = 30_000;
const MAX_AGE_MS = 10 * 60_000;
const MAX_ENTRIES = 200;

/** Answers by key: the cached one, or what `load` makes. */
export type StaleCache = <Answer>(key: string, load: () => Promise<Answer>) => Promise<Answer>;

/**
 * Cache of answers that take long to make: stale-while-revalidate with request coalescing. Nobody waits for an answer that is
 * there, nor makes one that somebody else is making: it is at most ten minutes old, and half a minute where it is asked for all
 * the time. (`fetch` of lru-cache knows no greatest age of what is stale, and keeps what was cheap to make.)
 */
export function createStaleCache(now: () => number = () => performance.now()): StaleCache {
  const entries = new LRUCache<string, Entry<unknown>>({
    max: MAX_ENTRIES,
    ttl: MAX_AGE_MS,
    ttlResolution: 0,
    perf: { now },
  });
  const loading = new Map<string, Promise<unknown>>();

  function load<Answer>(key: string, make: () => Promise<Answer>): Promise<Answer> {
    const running = loading.get(key);
    if (running) return running as Promise<Answer>;
    const startedAt = now();
    const begun = make()
      .then((answer) => {
        if (now() - startedAt >= COSTLY_MS) entries.set(key, { answer, madeAt: now() });
        else entries.delete(key);
        return answer;
      })
      .finally(() => loading.delete(key));
    loading.set(key, begun);
    return begun;
  }

  return async <Answer>(key: string, make: () => Promise<Answer>): Promise<Answer> => {
    const cached = entries.get(key);
    if (!cached) return load(key, make);
    // Whoever asks next is told of the failure, or makes it good.
    if (now() - cached.madeAt > FRESH_MS) load(key, make).catch(() => entries.delete(key));
    return cached.answer as Answer;
  };
}
