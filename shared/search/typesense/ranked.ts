import type { Pool } from 'pg';
import { planTextSearch, type TextQuery } from '../postgres/text-search.ts';
import type { Hit, Search } from '../search.ts';

/** A listing found; `total` tells how many of those named match as they are now, unless the search goes on behind a position. */
export type RankedRow = Hit & { total: number | null };

/**
 * A page of the listings named, ranked as PostgreSQL ranks its own: by the same statement, which gets to see no others. Each
 * is held against the search as it is now, so that whatever an index that is behind says, nothing is shown that must not be.
 */
export async function readRanked(
  pool: Pool,
  search: Search,
  asked: TextQuery,
  ids: readonly string[],
): Promise<RankedRow[]> {
  if (ids.length === 0) return [];
  const part = search.after ? { ...search, limit: search.limit + 1 } : search;
  const { text, values } = planTextSearch(part, asked);
  const named = `with listing_search as materialized (select * from listing_search where listing_id = any($${values.length + 1}::text[])), `;
  const { rows } = await pool.query<RankedRow>({
    text: text.replace(/^with /, named),
    values: [...values, ids],
  });
  return rows.filter(({ id }) => id !== null);
}
