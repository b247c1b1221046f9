import type { Pool } from 'pg';
import { fitsFilters, inScope } from '../postgres/conditions.ts';
import { orderOf, orderRowsBy } from '../postgres/order.ts';
import { createParameters, nameStatement, putsFeaturedFirst, selectPage } from '../postgres/statement.ts';
import { isPrepared, type Hit, type Search } from '../search.ts';

/**
 * Those of the listings found that fit the search as they are now, in its order: whatever an index that is behind says, nothing
 * is shown that must not be.
 */
export async function readFound(pool: Pool, search: Search, ids: readonly string[]): Promise<Hit[]> {
  if (ids.length === 0) return [];
  const parameter = createParameters();
  const order = orderOf(search, parameter);
  const isFeatured = putsFeaturedFirst(search)
    ? `(l.premium_type = 'featured' and l.premium_until > ${parameter('now', search.now)} and l.status = 'active') is true`
    : 'false';
  const page = `page as materialized (select l.id, ${order.key} as key, ${isFeatured} as featured from listings l
    where l.id = any(${parameter('ids', ids)}::text[]) and ${inScope(search, parameter)} and ${fitsFilters(search.filters, parameter)})`;
  const text = selectPage(page, orderRowsBy(order, 'page'), 'null::int');
  const name = isPrepared(search) ? nameStatement(text) : undefined;
  const { rows } = await pool.query<Hit>({ name, text, values: parameter.values });
  return rows.filter(({ id }) => id !== null);
}
