import type { Pool } from 'pg';
import { cardTypes } from '../../listings/card.ts';
import { fitsFilters } from '../postgres/filter-first.ts';
import { createParameters } from '../postgres/parameters.ts';
import { inScope, orderBy, orderOf, putsFeaturedFirst, selectCards, type Statement } from '../postgres/statement.ts';
import { isPrepared, type FoundRow, type Search } from '../search.ts';

/**
 * Those of the listings found that fit the search as they are now, in its order: whatever an index that is behind says, nothing
 * is shown that must not be.
 */
export async function readFound(pool: Pool, search: Search, ids: readonly string[]): Promise<FoundRow[]> {
  if (ids.length === 0) return [];
  const { name, text, values } = foundStatement(search, ids);
  const { rows } = await pool.query<FoundRow>({
    name: isPrepared(search) ? name : undefined,
    text,
    values,
    types: cardTypes,
  });
  return rows;
}

function foundStatement(search: Search, ids: readonly string[]): Statement {
  const parameter = createParameters();
  const { key, direction } = orderOf(search, parameter);
  const isFeatured = putsFeaturedFirst(search)
    ? `(l.premium_type = 'featured' and l.premium_until > ${parameter('now', search.now)} and l.status = 'active') is true`
    : 'false';
  const conditions = [inScope(search, parameter), fitsFilters(search.filters, parameter)];
  const page = `page as materialized (select l.id, ${key} as key, ${isFeatured} as featured
    from listings l where l.id = any(${parameter('ids', ids)}::text[]) and ${conditions.join(' and ')})`;
  const byKey = orderBy('page.key', 'page.id', direction).replace('order by', 'order by page.featured desc,');
  return {
    name: `found-${search.sort}${search.filters.near ? '-n' : ''}`,
    text: selectCards(page, byKey, 'null::int', search, parameter),
    values: parameter.values,
  };
}
