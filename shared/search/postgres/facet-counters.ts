import type { Pool } from 'pg';
import { filters as table } from '../filters.ts';
import { filtersIn, renderFilter } from './conditions.ts';
import type { Facet } from './facet.ts';
import { createParameters, isActiveOnly, type Search } from './statement.ts';

const counted = new Set(filtersIn('counters').map(({ name }) => name));

/**
 * Whether the counter table answers a facet: it has categories, countries, conditions, types and shipping of active
 * listings.
 */
export function hasCounters(search: Search, facet: Facet): boolean {
  const others = table.filter(({ name }) => !counted.has(name) && search.filters[name] !== undefined);
  return 'column' in facet && counted.has(facet.name) && others.length === 0 && isActiveOnly(search);
}

/** Counts facets from the counter table, each without its own filter. */
export async function countFromCounters(
  pool: Pool,
  { filters }: Search,
  facets: readonly Facet[],
  limit: number,
): Promise<{ facet: string; value: string; n: number }[]> {
  const parameter = createParameters();
  const conditions = Object.fromEntries(
    filtersIn('counters').map((filter) => [filter.column, renderFilter(filter, filters, parameter, 'counted')]),
  );
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
