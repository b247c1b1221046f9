import { LRUCache } from 'lru-cache';
import type { Searched } from '../counting/search-terms.ts';

export type CacheTag = 'listings' | 'listing' | 'rentals' | 'rental' | 'categories' | 'static';
export type CachedAnswer = {
  tag: CacheTag;
  subject: string | undefined;
  /** The listing that the answer counts as a view of, whenever it is given again. */
  viewed: string | undefined;
  /** The search that is counted again when the answer is given again. */
  searched: Searched | undefined;
  status: number;
  headers: Record<string, string>;
  body: Buffer;
};

export const MAX_ENTRIES = 500;
const MAX_BYTES = 64 * 1_048_576;

/** Answers to anonymous readers, kept in memory as the bytes that went out; at most 500 entries. */
export function createResponseCache(now: () => number) {
  const entries = new LRUCache<string, CachedAnswer>({
    max: MAX_ENTRIES,
    maxSize: MAX_BYTES,
    sizeCalculation: (entry) => entry.body.length + 1_024,
    perf: { now },
    ttlResolution: 0,
  });
  const counters = { hits: 0, misses: 0 };
  // Answers computed before an invalidation must not enter after it: a store names the generation it started in.
  let generation = 0;

  function forget(lists: readonly CacheTag[], detail: CacheTag, ids: Set<string>): void {
    generation += 1;
    for (const [key, { tag, subject = '' }] of entries.entries()) {
      if (lists.includes(tag) || (tag === detail && ids.has(subject))) entries.delete(key);
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
      if (startedIn === generation || answer.tag === 'static') entries.set(key, answer, { ttl: seconds * 1_000 });
    },

    /** Drops every list and count of listings, and the details of the listings named. */
    forgetListings(ids: Set<string>): void {
      forget(['listings', 'categories'], 'listing', ids);
    },

    /** Drops every list of rentals, and the details of the rentals named. */
    forgetRentals(ids: Set<string>): void {
      forget(['rentals'], 'rental', ids);
    },

    clear(): void {
      generation += 1;
      entries.clear();
    },

    stats: () => ({ entries: entries.size, max_entries: MAX_ENTRIES, ...counters }),
  };
}

export type ResponseCache = ReturnType<typeof createResponseCache>;
