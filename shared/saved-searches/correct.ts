import type { Pool } from 'pg';
import type { ListingFilters } from '../listings/filters.ts';
import { searchListings } from '../listings/search.ts';

/** What the search itself makes of words that it finds nothing with today: a tsquery as text, and what to tell the reader. */
export async function correctFilters(
  pool: Pool,
  { filters, status }: { filters: ListingFilters; status: string | undefined },
  now: Date,
): Promise<{ corrected?: string | undefined; warnings: string[] }> {
  if (filters.q === undefined || filters.impossible) return { warnings: [] };
  const { corrected, warnings } = await searchListings(pool, {
    filters,
    scope: { everyone: status === 'all' ? ['active', 'paused', 'sold'] : ['active'] },
    sort: 'newest',
    seed: '',
    offset: 0,
    limit: 1,
    locale: 'en',
    now,
  });
  return { corrected, warnings };
}
