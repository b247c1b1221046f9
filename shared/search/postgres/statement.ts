import { createHash } from 'node:crypto';
import { cardColumns, cardJoins } from '../../listings/card.ts';
import { filters as table, type Filter, type FilterName, type ListingFilters } from '../filters.ts';
import { distance, filtersIn, priceBounds, renderFilter } from './conditions.ts';
import type { Position } from '../query/position.ts';
import type { Parameters } from './parameters.ts';

export type Sort =
  | 'relevance'
  | 'newest'
  | 'oldest'
  | 'price_asc'
  | 'price_desc'
  | 'random'
  | 'year_desc'
  | 'length_desc'
  | 'distance'
  | 'updated_asc';

/** Which listings a caller may find: those of everyone in some statuses, and their own in some more. */
export type StatusScope = { everyone: readonly string[]; own?: { sellerId: string; statuses: readonly string[] } };

/** One page of one search, as a statement needs it. */
export type Search = {
  filters: ListingFilters;
  scope: StatusScope;
  /** `relevance` only with words to look for, `distance` only with a point to be near. */
  sort: Sort;
  /** Orders `random`. */
  seed: string;
  offset: number;
  limit: number;
  /** Where the page before has ended; `offset` is 0 then. */
  after?: Position;
  /** What to look for in place of `q`: a tsquery as text. */
  corrected?: string | undefined;
  /** Whether only listings with all of the words will do, mistyped or not. */
  strict?: boolean;
  /** Of the texts of what is found. */
  locale: string;
  now: Date;
};

/** A prepared statement. One name has one text: texts are few and depend on no value. */
export type Statement = { name: string; text: string; values: unknown[] };

/** The sort key as an expression over listings l, and its direction, which the id follows as tie-breaker. */
export function orderOf(
  { sort, seed, filters }: Pick<Search, 'sort' | 'seed' | 'filters'>,
  parameter: Parameters,
): { key: string; direction: string } {
  switch (sort) {
    case 'distance':
      return { key: distance(filters, parameter), direction: 'asc' };
    case 'updated_asc':
      return { key: 'l.updated_at', direction: 'asc' };
    case 'oldest':
      return { key: 'l.sort_at', direction: 'asc' };
    case 'price_asc':
      return { key: 'l.price_amount', direction: 'asc' };
    case 'price_desc':
      return { key: 'l.price_amount', direction: 'desc' };
    case 'year_desc':
      return { key: 'l.year', direction: 'desc nulls last' };
    case 'length_desc':
      return { key: 'l.length_m', direction: 'desc nulls last' };
    case 'random':
      return { key: `hashtextextended(l.id, ${parameter('seed', numberOf(seed))}::bigint)`, direction: 'asc' };
    default:
      return { key: 'l.sort_at', direction: 'desc' };
  }
}

const numberOf = (seed: string) => createHash('sha256').update(seed).digest().readBigInt64BE();

/** `order by` in that direction; the id follows it. */
export const orderBy = (key: string, id: string, direction: string) =>
  `order by ${key} ${direction}, ${id} ${direction.split(' ', 1).join()}`;

/** Whether promoted listings come first: in the order `newest`, and in `relevance`. */
export const putsFeaturedFirst = ({ sort, scope }: Search) =>
  (sort === 'newest' || sort === 'relevance') && scope.everyone.includes('active');

/** The scope that most searches have, which has indexes of its own. */
export const isActiveOnly = ({ scope }: Search) =>
  scope.own === undefined && scope.everyone.length === 1 && scope.everyone[0] === 'active';

/** The condition of a scope that is more than the active listings. */
export function inScope({ scope }: Search, parameter: Parameters, table = 'l'): string {
  const everyone = `${table}.status = any(${parameter('statuses', scope.everyone)}::text[])`;
  return scope.own ? `(${everyone} or ${isOwnListing(scope.own, parameter, table)})` : everyone;
}

export const isOwnListing = (
  { sellerId, statuses }: NonNullable<StatusScope['own']>,
  parameter: Parameters,
  table = 'l',
) =>
  `l.seller_id = ${parameter('own', sellerId)} and ${table}.status = any(${parameter('own-statuses', statuses)}::text[])`;

const named = (name: FilterName): Filter => table.find((filter) => filter.name === name)!;

/** Renders the condition of one filter, by its name. */
export const renderNamed = (name: FilterName, filters: ListingFilters, parameter: Parameters) =>
  renderFilter(named(name), filters, parameter);

const placeAndTime = ['near', 'bbox', 'updated_since'] as const;

/** Conditions by place and time of change that are asked for. */
export const placeAndTimeConditions = (filters: ListingFilters, parameter: Parameters): string[] =>
  placeAndTime
    .filter((name) => filters[name] !== undefined)
    .map((name) => renderFilter(named(name), filters, parameter));

/** The same, each void when not asked for: one text for all combinations. */
export function placeAndTimeConditionsOrVoid(filters: ListingFilters, parameter: Parameters): string[] {
  const [near, bbox, updatedSince] = placeAndTime.map((name) => renderFilter(named(name), filters, parameter));
  return [
    `(${parameter('near-lat', filters.near?.lat ?? null)}::double precision is null or ${near})`,
    `(${parameter('west', filters.bbox?.west ?? null)}::double precision is null or ${bbox})`,
    updatedSince!,
  ];
}

/** The part of a statement's name for these conditions. */
export const namePlaceAndTime = ({ near, bbox, updated_since: since }: ListingFilters) =>
  `${near ? 'n' : ''}${bbox ? 'b' : ''}${since ? 's' : ''}`;

/** Filters that drive a scan, and are no mere condition of it. */
const drivers = new Set(['category', 'country']);

/** Whether filters on included columns are asked for. */
export const hasColumnFilters = (filters: ListingFilters) =>
  filtersIn('lists').some(({ name }) => !drivers.has(name) && filters[name as FilterName] !== undefined);

/**
 * One condition over conditions that are void when their parameter is null: one text for all combinations. Opaque to the
 * planner, which thus neither misjudges its selectivity nor leaves the index whose order is asked for.
 */
export const allUnlessNull = (conditions: string[]) => `coalesce(${conditions.join(' and ')}, true)`;

/** Renders filters on the columns that the list indexes include, for allUnlessNull. */
export const columnFilters = (
  filters: ListingFilters,
  parameter: Parameters,
  without: readonly FilterName[] = [],
): string[] =>
  filtersIn('lists')
    .filter(({ name }) => name !== 'category' && !without.includes(name as FilterName))
    .map((filter) => renderFilter(filter, filters, parameter));

/** The column filters as conditions of an index scan: none where nothing is filtered, the country apart. */
export function scanFilters(
  filters: ListingFilters,
  parameter: Parameters,
  without: readonly FilterName[] = [],
): string[] {
  if (hasColumnFilters(filters)) return [allUnlessNull(columnFilters(filters, parameter, without))];
  const isByCountry = filters.country !== undefined && !without.includes('country');
  return isByCountry ? [renderNamed('country', filters, parameter)] : [];
}

/** The ranges of prices looked for, as a table p (low, high): two, the second one for unpriced listings or empty. */
export function priceRanges(filters: ListingFilters, parameter: Parameters): string {
  const { low, high, unpriced } = priceBounds(filters, parameter);
  return `(values (${low}, ${high}), (${unpriced}, ${unpriced})) as p (low, high)`;
}

/** A page of a hundred listings, and one more that tells of a next page. */
const MAX_PAGE_ROWS = 101;

/** The bounds of a page. A page has few listings, which the planner would not know from a parameter. */
export function limitPage(rows: string, { limit, offset }: Search, parameter: Parameters): string {
  return `select * from (${rows} limit ${parameter('limit', limit)}::int offset ${parameter('offset', offset)}) as bounded limit ${MAX_PAGE_ROWS}`;
}

/** Selects the wide rows of a `page` of ids, in the order given; `total` is an expression. */
export function selectCards(
  tables: string,
  order: string,
  total: string,
  search: Search,
  parameter: Parameters,
  position = 'page.featured as is_featured, page.key::text as key',
): string {
  const away = search.filters.near ? `, ${distance(search.filters, parameter)} as distance_km` : '';
  return `with ${tables} select ${cardColumns}, ${total} as total, ${position}${away}
    from page join listings l on l.id = page.id ${cardJoins(parameter('locale', search.locale))} ${order}`;
}
