import { LRUCache } from 'lru-cache';
import type { Effects } from '../effects.ts';

/** What drops a cached answer early: `tag` of `x-cache` in openapi.yaml. */
export type CacheTag = string;
/** The tags of answers that show things of a kind: lists and counts of them, and single ones. */
type KindTags = { collections: readonly CacheTag[]; detail: CacheTag };
/** Ids by kind, or `all` of a kind. */
type Changed = Partial<Record<string, readonly string[] | 'all'>>;

export type CachedAnswer = {
  tag: CacheTag;
  /** The id of the thing that a detail shows. */
  subject: string | undefined;
  /** What the answer does whenever it is given again. */
  effects: Effects | undefined;
  status: number;
  headers: Record<string, string>;
  body: Buffer;
};

export const MAX_ENTRIES = 500;
const MAX_BYTES = 64 * 1_048_576;

/** LRU cache of answers to anonymous readers, in memory as the bytes that went out; at most 500 entries, invalidated by tag. */
export function createResponseCache(now: () => number, kinds: Record<string, KindTags>) {
  const entries = new LRUCache<string, CachedAnswer>({
    max: MAX_ENTRIES,
    maxSize: MAX_BYTES,
    sizeCalculation: (entry) => entry.body.length + 1_024,
    perf: { now },
    ttlResolution: 0,
  });
  const changeable = new Set(Object.values(kinds).flatMap(({ collections, detail }) => [...collections, detail]));
  const counters = { hits: 0, misses: 0 };
  // Answers computed before an invalidation must not enter after it: a store names the generation it started in.
  let generation = 0;

  function drop({ collections, detail }: KindTags, ids: readonly string[] | 'all'): void {
    const changed = new Set(ids);
    for (const [key, { tag, subject = '' }] of entries.entries()) {
      const isShown = tag === detail && (ids === 'all' || changed.has(subject));
      if (isShown || collections.includes(tag)) entries.delete(key);
    }
  }

  return {
    generation: () => generation,

    get(key: string): CachedAnswer | undefined {
      const found = entries.get(key);
      counters[found ? 'hits' : 'misses'] += 1;
      return found;
    },

    set(key: string, answer: CachedAnswer, seconds: number, startedIn: number): void {
      if (startedIn === generation || !changeable.has(answer.tag)) entries.set(key, answer, { ttl: seconds * 1_000 });
    },

    /** Drops every list and count of the kinds that have changed, and the details of the things named. */
    invalidate(changed: Changed): void {
      generation += 1;
      for (const [kind, tags] of Object.entries(kinds)) {
        const ids = changed[kind];
        if (ids !== undefined) drop(tags, ids);
      }
    },

    clear(): void {
      generation += 1;
      entries.clear();
    },

    stats: () => ({ entries: entries.size, max_entries: MAX_ENTRIES, ...counters }),
  };
}

export type ResponseCache = ReturnType<typeof createResponseCache>;
