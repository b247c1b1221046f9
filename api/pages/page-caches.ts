import { LRUCache } from 'lru-cache';
import type { ImageSize } from '../../shared/listings/image-sizes.ts';
import type { ListingItem } from '../listings/present.ts';
import { writeContentPolicy } from './content-policy.ts';
import type { FacetCounts } from './facet-counts.ts';
import type { Markup } from './html.ts';

const SIMILAR_MS = 30_000;
const FACETS_MS = 60_000;

export type PageCaches = ReturnType<typeof createPageCaches>;

/** What the pages of many visitors need again and again: LRU caches, and what the settings alone tell. */
export function createPageCaches(config: Parameters<typeof writeContentPolicy>[0]) {
  return {
    policy: writeContentPolicy(config),
    /** The newest listings of a category, for half a minute, as a page in the cache. */
    similar: new LRUCache<string, Promise<ListingItem[]>>({ max: 200, ttl: SIMILAR_MS }),
    /** The counts of the filters of a search, by the state of the listings and what is filtered. */
    facets: new LRUCache<string, FacetCounts>({ max: 300, ttl: FACETS_MS }),
    /** Sizes of stored images by their hash, which never change. */
    imageSizes: new LRUCache<string, ImageSize>({ max: 20_000 }),
    /** Maps of towns, empty for those that are found nowhere. */
    towns: new LRUCache<string, Markup>({ max: 2_000 }),
  };
}
