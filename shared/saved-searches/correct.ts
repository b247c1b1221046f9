import type { SearchPool } from '../search/search-pool.ts';
import type { ListingFilters } from '../search/filters.ts';
import { parseQuery } from '../search/query/parse-query.ts';
import { searchListings } from '../search/search.ts';

/**
 * What the search itself makes of words that it finds nothing with today, or that may be said in another way: a tsquery as
 * text, and what to tell the reader.
 */
export async function correctFilters(
  pool: SearchPool,
  { filters, status }: { filters: ListingFilters; status: string | undefined },
  now: Date,
): Promise<{ corrected?: string | undefined; warnings: string[] }> {
  if (filters.q === undefined || filters.impossible) return { warnings: [] };
  const { corrected, textQuery, warnings } = await searchListings(pool, {
    filters,
    scope: { everyone: status === 'all' ? ['active', 'paused', 'sold'] : ['active'] },
    sort: 'newest',
    seed: '',
    offset: 0,
    limit: 1,
    locale: 'en',
    strict: true,
    now,
  });
  if (corrected) return { corrected: textQuery?.all, warnings };
  const { query, isWidened } = await parseQuery(pool, filters.q);
  return { corrected: isWidened ? query : undefined, warnings };
}
