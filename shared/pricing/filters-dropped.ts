import type { Range } from '../search/filters-attributes.ts';
import type { Parameters } from '../search/postgres/statement.ts';
import type { PriceSelection } from './selection.ts';

/**
 * A filter that may be dropped when too few listings pass it. `level` is its place in the order in which filters are dropped:
 * what says least about a price goes first, the length, which says most, last.
 */
export type DroppableFilter = {
  level: number;
  /** What it is called in the query. */
  names: string[];
  /** Over listing_prices p; absent for the attributes, which are asked of the listings themselves. */
  condition?: (parameter: Parameters) => string;
};

export const ATTRIBUTES_LEVEL = 2;
export const BRAND_LEVEL = 6;
export const LAST_LEVEL = 7;

/** The filters of a selection that may be dropped, in that order. */
export function droppableFilters({
  country,
  attributes,
  condition,
  year,
  model,
  brand,
  length,
}: PriceSelection): DroppableFilter[] {
  return [
    country !== undefined && {
      level: 1,
      names: ['country'],
      condition: (parameter: Parameters) => `p.country = any(${parameter('country', country)}::text[])`,
    },
    attributes.length > 0 && {
      level: ATTRIBUTES_LEVEL,
      names: [...new Set(attributes.map(({ key }) => `attr[${key}]`))],
    },
    condition !== undefined && {
      level: 3,
      names: ['condition'],
      condition: (parameter: Parameters) => `p.condition = any(${parameter('condition', condition)}::text[])`,
    },
    year && { level: 4, names: ['attr[year]'], condition: within('p.year', year, 'double precision') },
    model !== undefined && { level: 5, names: ['attr[model]'], condition: containing('p.model', model) },
    brand !== undefined && { level: BRAND_LEVEL, names: ['attr[brand]'], condition: containing('p.brand', brand) },
    // Cut to the column's precision, so that 11.99 equals the 11.99 stored.
    length && { level: LAST_LEVEL, names: ['attr[length]'], condition: within('p.length_m', length, 'real') },
  ].filter((filter) => filter !== false && filter !== undefined);
}

const within =
  (column: string, { min, max }: Range, type: string) =>
  (parameter: Parameters) =>
    [
      ...(min === null ? [] : [`${column} >= ${parameter(`${column}-min`, min)}::${type}`]),
      ...(max === null ? [] : [`${column} <= ${parameter(`${column}-max`, max)}::${type}`]),
    ].join(' and ');

const containing = (column: string, texts: readonly string[]) => (parameter: Parameters) =>
  `exists (select from unnest(${parameter(column, texts)}::text[]) as part where strpos(${column}, lower(part)) > 0)`;
