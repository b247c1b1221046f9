import type { ListingFilters } from '../filters.ts';
import { cellsOfBox, cellsOfCircle } from '../../places/area.ts';
import { isContinued, keysetRowPredicate } from './keyset.ts';
import {
  allUnlessNull,
  createParameters,
  columnFilters,
  inScope,
  isActiveOnly,
  limitPage,
  placeAndTimeConditions,
  namePlaceAndTime,
  placeAndTimeConditionsOrVoid,
  orderBy,
  orderOf,
  putsFeaturedFirst,
  selectCards,
  type Parameters,
  type Search,
  type Statement,
} from './statement.ts';
import { COUNT_LIMIT } from './total.ts';

/** The texts among the attributes, as the index listings_attributes has them. */
const texts = `lower(jsonb_path_query_array(l.attributes, '$.*[*] ? (@.type() == "string")')::text)`;

/**
 * The filter-first plan: the index of the most selective filter (seller, city, attribute text, place, time of change) finds
 * all matches, which are then sorted. Other filters are void when their parameter is null. `total` is null on later pages,
 * or when not asked for.
 */
export function planFilterFirst(search: Search, { counted = true } = {}): Statement {
  const parameter = createParameters();
  const { key, direction } = orderOf(search, parameter);
  // No index but one has the status as a column.
  const isActive = isActiveOnly(search) ? 'true' : `l.status = 'active'`;
  const isFeatured = putsFeaturedFirst(search)
    ? `(l.premium_type = 'featured' and l.premium_until > ${parameter('now', search.now)} and ${isActive}) is true`
    : 'false';
  const found = `select l.id, ${key} as key, ${isFeatured} as featured from ${fromMatches(search, parameter)}`;
  const isCounted = counted && !isContinued(search);
  const order = (table: string) =>
    orderBy(`${table}.key`, `${table}.id`, direction).replace('order by', `order by ${table}.featured desc,`);
  const follows = isContinued(search) ? `where ${keysetRowPredicate(search, 'hits', parameter)}` : '';
  const rows = `select * from ${isCounted ? 'hits' : `(${found}) as hits`} ${follows} ${order('hits')}`;
  const page = `page as (${limitPage(rows, search, parameter)})`;
  return {
    name: nameOf(search, `${search.sort}${isCounted ? '' : '-go'}`),
    text: selectCards(
      isCounted ? `hits as materialized (${found}), ${page}` : page,
      order('page'),
      isCounted ? '(select count(*)::int from hits)' : 'null::int',
      search,
      parameter,
    ),
    values: parameter.values,
  };
}

/** The total alone; up to COUNT_LIMIT where the filter is unselective. */
export function countFilterFirst(search: Search): Statement {
  const parameter = createParameters();
  const bound = isUnselective(search) ? ` limit ${parameter('count-limit', COUNT_LIMIT)}` : '';
  const text = `select count(*)::int as total from (select 1 from ${fromMatches(search, parameter)}${bound}) as counted`;
  return { name: nameOf(search, 'count'), text, values: parameter.values };
}

/** Whether only a place or a time narrows the search: its selectivity is unknown. */
export const isUnselective = (search: Search) => ['place', 'changed'].includes(drivingFilterOf(search));

const nameOf = (search: Search, what: string) => {
  const { filters, after } = search;
  const flags = [
    isActiveOnly(search) ? 'active' : search.scope.own ? 'own' : 'statuses',
    putsFeaturedFirst(search) && 'featured',
    namePlaceAndTime(filters),
    isNarrow(search) && 'narrow',
    filters.categoryIds && isNarrow(search) && 'cat',
    after && `a${after.featured ? 'p' : ''}${after.key === null ? 'n' : ''}`,
  ];
  return ['filter-first', what, drivingFilterOf(search), ...flags].filter(Boolean).join('-');
};

type Driver = 'seller' | 'city' | 'text' | 'place' | 'changed' | 'categories' | 'none';

/** The driving filter: the first present, in order of selectivity. */
function drivingFilterOf(search: Search): Driver {
  const { sellerId, city, attributeText, categoryIds, near, bbox, updatedSince } = search.filters;
  if (sellerId !== undefined) return 'seller';
  if (city !== undefined) return 'city';
  if (attributeText !== undefined && isActiveOnly(search)) return 'text';
  if ((near || bbox) && isActiveOnly(search)) return 'place';
  if (updatedSince && isActiveOnly(search)) return 'changed';
  return categoryIds === undefined ? 'none' : 'categories';
}

/** Whether an index-only scan finds the matches. */
function isNarrow(search: Search): boolean {
  const { attributes, near, bbox, updatedSince } = search.filters;
  const driver = drivingFilterOf(search);
  if (attributes !== undefined) return false;
  return driver === 'place' ? updatedSince === undefined : driver === 'changed' && !near && !bbox;
}

/** Renders the clause `from` that finds the matching listings l. */
export function fromMatches(search: Search, parameter: Parameters): string {
  const { filters } = search;
  const sought = soughtBy(filters, parameter);
  const drivers: Record<Driver, () => string[]> = {
    seller: () => [sought.seller()],
    city: () => [sought.city()],
    text: () => [`${texts} like ${parameter('text', likeAnywhere(filters.attributeText ?? ''))}`],
    place: () => placeAndTimeConditions(filters, parameter),
    changed: () => placeAndTimeConditions(filters, parameter),
    categories: () => [sought.categories()],
    none: () => [],
  };
  const driver = drivingFilterOf(search);
  const scope = isActiveOnly(search) ? `l.status = 'active'` : inScope(search, parameter);
  const rest = isNarrow(search)
    ? [...(filters.categoryIds ? [sought.categories()] : []), allUnlessNull(columnFilters(filters, parameter))]
    : [fitsFilters(filters, parameter)];
  const conditions = [...drivers[driver](), ...rest];
  if (driver === 'place') return `${inCells(filters, parameter)} where ${conditions.join(' and ')}`;
  return `listings l where ${[scope, ...conditions].join(' and ')}`;
}

/**
 * Renders active listings l in the grid cells of a place. `offset 0` is a planner fence: the planner cannot estimate a
 * place and would drive from a category.
 */
const inCells = (filters: ListingFilters, parameter: Parameters) =>
  `${cells(filters, parameter)} cross join lateral (select * from listings p where p.status = 'active' and p.lat is not null
    and p.lng is not null and place_cell(p.lat, p.lng) between cells.low and cells.high offset 0) as l`;

function cells({ near, bbox }: ListingFilters, parameter: Parameters): string {
  const { lows, highs } = near ? cellsOfCircle(near) : bbox ? cellsOfBox(bbox) : { lows: [], highs: [] };
  return `unnest(${parameter('cell-lows', lows)}::int[], ${parameter('cell-highs', highs)}::int[]) as cells (low, high)`;
}

/** All filters but the words looked for, as one condition on listings l. */
export function fitsFilters(filters: ListingFilters, parameter: Parameters): string {
  const { seller, city, categories, attributes } = soughtBy(filters, parameter);
  return allUnlessNull([
    seller(),
    city(),
    categories(),
    attributes(),
    ...placeAndTimeConditionsOrVoid(filters, parameter),
    ...columnFilters(filters, parameter),
  ]);
}

function soughtBy({ sellerId, city, categoryIds, attributes }: ListingFilters, parameter: Parameters) {
  return {
    seller: () => `l.seller_id = ${parameter('seller', sellerId ?? null)}::text`,
    city: () => `lower(l.city) = lower(${parameter('city', city ?? null)}::text)`,
    categories: () => `l.category_id = any(${parameter('categories', categoryIds ?? null)}::text[])`,
    attributes: () => {
      const path = `${parameter('attributes', attributes ?? null)}::jsonpath`;
      // A value of another type makes the predicate null, which must not read as void.
      return `(${path} is null or (l.attributes @@ ${path}) is true)`;
    },
  };
}

const likeAnywhere = (text: string) => `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
