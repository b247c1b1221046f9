import { LRUCache } from 'lru-cache';
import type { ImageSize } from '../../shared/listings/image-sizes.ts';
import type { Coordinates } from '../../shared/places/geocode.ts';
import type { ListingItem } from '../listings/present.ts';

const SIMILAR_MS = 30_000;

export type PageCaches = ReturnType<typeof createPageCaches>;

/** LRU caches of what the pages of many visitors ask for again and again. */
export function createPageCaches() {
  return {
    /** The newest listings of a category, for half a minute, as a page in the cache. */
    similar: new LRUCache<string, Promise<ListingItem[]>>({ max: 200, ttl: SIMILAR_MS }),
    /** Sizes of stored images by their hash, which never change. */
    imageSizes: new LRUCache<string, ImageSize>({ max: 20_000 }),
    /** Where towns are, also of those that are found nowhere. */
    towns: new LRUCache<string, { found: Coordinates | undefined }>({ max: 5_000 }),
  };
}
