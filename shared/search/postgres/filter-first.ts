import type { FilterName, ListingFilters } from '../filters.ts';
import { attributeTexts } from './conditions.ts';
import { cellsOfBox, cellsOfCircle } from '../../places/area.ts';
import { isContinued, keysetRowPredicate } from './keyset.ts';
import { createParameters, type Parameters } from './parameters.ts';
import {
  allUnlessNull,
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
  renderNamed,
  selectCards,
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
    filters.category && isNarrow(search) && 'cat',
    after && `a${after.featured ? 'p' : ''}${after.key === null ? 'n' : ''}`,
  ];
  return ['filter-first', what, drivingFilterOf(search), ...flags].filter(Boolean).join('-');
};

type Driver = 'seller' | 'city' | 'text' | 'place' | 'changed' | 'categories' | 'none';

/** The driving filter: the first present, in order of selectivity. */
function drivingFilterOf(search: Search): Driver {
  const { seller_id: seller, city, category, near, bbox, updated_since: since } = search.filters;
  if (seller !== undefined) return 'seller';
  if (city !== undefined) return 'city';
  if (isActiveOnly(search) && attributeTexts(search.filters)) return 'text';
  if ((near || bbox) && isActiveOnly(search)) return 'place';
  if (since && isActiveOnly(search)) return 'changed';
  return category === undefined ? 'none' : 'categories';
}

/** Whether an index-only scan finds the matches. */
function isNarrow(search: Search): boolean {
  const { attributes, near, bbox, updated_since: since } = search.filters;
  const driver = drivingFilterOf(search);
  if (attributes !== undefined) return false;
  return driver === 'place' ? since === undefined : driver === 'changed' && !near && !bbox;
}

/** Renders the clause `from` that finds the matching listings l. */
export function fromMatches(search: Search, parameter: Parameters): string {
  const { filters } = search;
  const render = (name: FilterName) => renderNamed(name, filters, parameter);
  const drivers: Record<Driver, () => string[]> = {
    seller: () => [render('seller_id')],
    city: () => [render('city')],
    text: () => [`${texts} like any(${parameter('text', attributeTexts(filters)?.map(likeAnywhere))}::text[])`],
    place: () => placeAndTimeConditions(filters, parameter),
    changed: () => placeAndTimeConditions(filters, parameter),
    categories: () => [render('category')],
    none: () => [],
  };
  const driver = drivingFilterOf(search);
  const scope = isActiveOnly(search) ? `l.status = 'active'` : inScope(search, parameter);
  const rest = isNarrow(search)
    ? [...(filters.category ? [render('category')] : []), allUnlessNull(columnFilters(filters, parameter))]
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
export const fitsFilters = (filters: ListingFilters, parameter: Parameters): string =>
  allUnlessNull([
    ...(['seller_id', 'city', 'category', 'attributes'] as const).map((name) => renderNamed(name, filters, parameter)),
    ...placeAndTimeConditionsOrVoid(filters, parameter),
    ...columnFilters(filters, parameter),
  ]);

const likeAnywhere = (text: string) => `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
