import { cellsOfBox, cellsOfCircle } from '../../places/area.ts';
import type { FilterName, ListingFilters } from '../filters.ts';
import { attributeTexts, fitsFilters, inScope, renderNamed } from './conditions.ts';
import { orderOf, orderRowsBy, whereAfter } from './order.ts';
import {
  createParameters,
  isActiveOnly,
  limitPage,
  putsFeaturedFirst,
  selectPage,
  type Parameters,
  type Search,
  type Statement,
} from './statement.ts';

/** The texts among the attributes, as the index listings_attributes has them. */
const texts = `lower(jsonb_path_query_array(l.attributes, '$.*[*] ? (@.type() == "string")')::text)`;

/**
 * The filter-first plan: the index of the most selective filter finds the matches, which are then sorted; at most so many, if
 * there is a limit. `total` is how many they are.
 */
export function planFilterFirst(search: Search, maxMatches?: number): Statement {
  const parameter = createParameters();
  const order = orderOf(search, parameter);
  // No index but one has the status as a column.
  const isActive = isActiveOnly(search) ? 'true' : `l.status = 'active'`;
  const isFeatured = putsFeaturedFirst(search)
    ? `(l.premium_type = 'featured' and l.premium_until > ${parameter('now', search.now)} and ${isActive}) is true`
    : 'false';
  const most = maxMatches === undefined ? '' : ` limit ${parameter('max-matches', maxMatches)}`;
  const hits = `select l.id, ${order.key} as key, ${isFeatured} as featured from ${fromMatches(search, parameter)}${most}`;
  const rows = `select * from hits ${whereAfter(order, search, 'hits', parameter)} ${orderRowsBy(order, 'hits')}`;
  return {
    text: selectPage(
      `hits as materialized (${hits}), page as (${limitPage(rows, search, parameter)})`,
      orderRowsBy(order, 'page'),
      '(select count(*)::int from hits)',
    ),
    values: parameter.values,
  };
}

type Driver = FilterName | 'none';

/** The driving filter: the first present, in order of selectivity. */
export function drivingFilterOf(search: Search): Driver {
  const { filters } = search;
  if (filters.seller_id) return 'seller_id';
  if (filters.city !== undefined) return 'city';
  if (isActiveOnly(search)) {
    if (attributeTexts(filters)) return 'attributes';
    if (filters.near || filters.bbox) return filters.near ? 'near' : 'bbox';
    if (filters.updated_since) return 'updated_since';
  }
  return filters.category ? 'category' : 'none';
}

/** Whether the driving filter leads to few matches, however it is set. */
export const isSelective = (search: Search) => ['seller_id', 'city', 'attributes'].includes(drivingFilterOf(search));

/** Renders the clause `from` that finds the matching listings l. */
export function fromMatches(search: Search, parameter: Parameters): string {
  const { filters } = search;
  const fits = `${inScope(search, parameter)} and ${fitsFilters(filters, parameter)}`;
  switch (drivingFilterOf(search)) {
    case 'attributes': {
      const patterns = attributeTexts(filters)?.map(likeAnywhere);
      return `listings l where ${texts} like any(${parameter('texts', patterns)}::text[]) and ${fits}`;
    }
    case 'near':
    case 'bbox':
      // Active ones alone, which is not said again: the index has no status, and the scan would read every row for it.
      return `${inCells(filters, parameter)} where ${fitsFilters(filters, parameter)}`;
    case 'category':
      return `listings l where ${renderNamed('category', filters, parameter)} and ${fits}`;
    default:
      return `listings l where ${fits}`;
  }
}

/**
 * Renders active listings l in the grid cells of a place. `offset 0` is a planner fence: the planner cannot estimate a
 * place and would drive from a category.
 */
function inCells({ near, bbox }: ListingFilters, parameter: Parameters): string {
  const { lows, highs } = near ? cellsOfCircle(near) : bbox ? cellsOfBox(bbox) : { lows: [], highs: [] };
  return `unnest(${parameter('cell-lows', lows)}::int[], ${parameter('cell-highs', highs)}::int[]) as cells (low, high)
    cross join lateral (select * from listings p where p.status = 'active' and p.lat is not null
      and p.lng is not null and place_cell(p.lat, p.lng) between cells.low and cells.high offset 0) as l`;
}

const likeAnywhere = (text: string) => `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
