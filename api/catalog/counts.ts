import type { Pool } from 'pg';
import type { Catalog } from '../../shared/catalog/tree.ts';

/** Active listings per category, each with its descendants: counters plus what is not folded into them yet. */
export async function countActiveByCategory(pool: Pool, catalog: Catalog): Promise<(id: string) => number> {
  const { rows } = await pool.query<{ category_id: string; n: number }>({
    name: 'active-by-category',
    text: `select category_id, sum(n)::int as n from (
             select category_id, n from listing_counts where status = 'active'
             union all select category_id, n from listing_count_deltas where status = 'active') as c group by category_id`,
  });
  const totals = new Map<string, number>();
  for (const { category_id: id, n } of rows) {
    for (const ancestor of catalog.find(id)?.path ?? []) totals.set(ancestor, (totals.get(ancestor) ?? 0) + n);
  }
  return (id) => Math.max(0, totals.get(id) ?? 0);
}
