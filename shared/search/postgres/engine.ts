import type { SearchPool } from '../search-pool.ts';
import { countFacets } from './facets.ts';
import { searchListings } from '../search.ts';
import type { SearchEngine } from '../engine.ts';
import { createSuggester } from '../suggest/suggest.ts';

/** The search that PostgreSQL answers by itself: always complete, and never behind. */
export function createPostgresEngine(pool: SearchPool): SearchEngine {
  return {
    async findPage({ search, facets, facetLimit }) {
      const found = await searchListings(pool, search);
      const asked = { ...search, corrected: found.effectiveQuery };
      const counts = await countFacets(pool, asked, facets, { limit: facetLimit, total: found.total });
      return { ...found, facets: counts };
    },
    suggest: createSuggester(pool),
  };
}
