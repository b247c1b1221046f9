import type { Pool } from 'pg';
import type { Facet } from './facet.ts';
import { createParameters, isActiveOnly, namePlaceAndTime, type Search } from './statement.ts';

/**
 * Whether the counter table answers a facet: it has categories, countries, conditions, types and shipping of active
 * listings.
 */
export function hasCounters(search: Search, facet: Facet): boolean {
  const { q, sellerId, city, attributes, price, year, length } = search.filters;
  const others = [q, sellerId, city, attributes, price, year, length];
  const isAll = others.every((filter) => filter === undefined) && namePlaceAndTime(search.filters) === '';
  return 'column' in facet && isAll && isActiveOnly(search);
}

/** Counts facets from the counter table, each without its own filter. */
export async function countFromCounters(
  pool: Pool,
  { filters }: Search,
  facets: readonly Facet[],
  limit: number,
): Promise<{ facet: string; value: string; n: number }[]> {
  const parameter = createParameters();
  const conditions = {
    category_id: `category_id = any(${parameter('categories', filters.categoryIds ?? null)}::text[])`,
    country: `country = ${parameter('country', filters.country ?? null)}::text`,
    condition: `condition = ${parameter('condition', filters.condition ?? null)}::text`,
    type: `type = ${parameter('type', filters.type ?? null)}::text`,
    shipping: `shipping = ${parameter('shipping', filters.shipping ?? null)}::boolean`,
  };
  const arms = facets.flatMap((facet, index) => {
    if (!('column' in facet)) return [];
    const { column } = facet;
    const fits = Object.entries(conditions).map(([of, condition]) =>
      of === column ? 'true' : `coalesce(${condition}, true)`,
    );
    return [
      `(select ${parameter(`facet-${index}`, facet.name)}::text as facet, ${column}::text as value, sum(n)::int as n from counted
        where ${fits.join(' and ')} group by 2 having sum(n) > 0 order by n desc, value limit ${parameter('values', limit)}::int)`,
    ];
  });
  // Every condition is mentioned somewhere, so that PostgreSQL knows the type of each parameter.
  const mentioned = `counted as (select * from listing_facet_counts union all select * from listing_facet_deltas),
    known as (select ${Object.values(conditions).join(', ')} from counted where false)`;
  const { rows } = await pool.query<{ facet: string; value: string; n: number }>(
    `with ${mentioned} ${arms.join(' union all ')}`,
    parameter.values,
  );
  return rows;
}
