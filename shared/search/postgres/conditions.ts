import { filters as table, type Filter, type FilterCopy, type FilterName, type ListingFilters } from '../filters.ts';
import type { AttributePart } from '../filters-attributes.ts';
import { priceBoundsByCurrency } from '../../rates/conversion.ts';
import { isActiveOnly, type Parameters, type Search, type StatusScope } from './statement.ts';

/** The filters that a table or index holds the columns of. */
export const filtersIn = (copy: FilterCopy): readonly Filter[] =>
  (table as readonly Filter[]).filter(({ copies }) => copies?.includes(copy));

/**
 * Renders the condition of a filter on the column of a table; its SQL value is null where the filter is undefined, which
 * allUnlessNull takes for void.
 */
export function renderFilter(filter: Filter, filters: ListingFilters, parameter: Parameters, alias = 'l'): string {
  const { name, kind, type = 'double precision' } = filter;
  const column = `${alias}.${filter.column}`;
  const value = filters[name as FilterName] ?? null;
  switch (kind) {
    case 'any':
      return `${column} = any(${parameter(name, value)}::text[])`;
    case 'flag':
      return `${column} = ${parameter(name, value)}::boolean`;
    case 'text':
      return `lower(${column}) = lower(${parameter(name, value)}::text)`;
    case 'time':
      return `${column} >= ${parameter(name, value)}::timestamptz`;
    case 'range': {
      const { min = null, max = null } = (value ?? {}) as { min?: number | null; max?: number | null };
      // Cut to the column's precision, so that 11.99 equals the 11.99 stored; what is missing is out of every range.
      return `coalesce(${column}::${type}, '-infinity') >= ${parameter(`min-${name}`, min)}::${type}
        and coalesce(${column}::${type}, 'infinity') <= ${parameter(`max-${name}`, max)}::${type}`;
    }
    case 'price': {
      if (comparesMoney(filters)) return inCurrencyBounds(filters, parameter, alias);
      const { low, high, unpriced } = priceBounds(filters, parameter);
      return `(${column} between ${low} and ${high} or ${column} = ${unpriced})`;
    }
    case 'attributes': {
      const path = `${parameter(name, toJsonPath(filters.attributes ?? []))}::jsonpath`;
      return `(${column} @@ ${path}) is true`;
    }
    case 'circle':
      return `${alias}.lat is not null and ${alias}.lng is not null
        and ${distance(filters, parameter, alias)} <= ${parameter('radius', filters.near?.radiusKm ?? null)}::double precision`;
    case 'box': {
      const bound = (name: 'west' | 'south' | 'east' | 'north') =>
        `${parameter(name, filters.bbox?.[name] ?? null)}::double precision`;
      return `${alias}.lat between ${bound('south')} and ${bound('north')} and ${alias}.lng is not null
        and case when ${bound('west')} <= ${bound('east')} then ${alias}.lng between ${bound('west')} and ${bound('east')}
          else ${alias}.lng >= ${bound('west')} or ${alias}.lng <= ${bound('east')} end`;
    }
    default:
      throw new Error(`no condition on a column says what ${kind} is`);
  }
}

/** Whether a range of prices is asked for in one currency, whatever they are in. */
export const comparesMoney = ({ price, conversion }: ListingFilters) => price !== undefined && conversion !== undefined;

/** Whether the sort key is a converted price, which is null for a currency without a rate. */
export const sortsByMoney = ({ filters, sort }: Pick<Search, 'filters' | 'sort'>) =>
  filters.conversion !== undefined && (sort === 'price_asc' || sort === 'price_desc');

/** Whether prices of several currencies are filtered or sorted by: no index has them. */
export const needsConversion = ({ filters, sort }: Pick<Search, 'filters' | 'sort'>) =>
  comparesMoney(filters) || sortsByMoney({ filters, sort });

/** A price within the bounds of its own currency, or none where that is asked for; false for a currency without a rate. */
function inCurrencyBounds({ price, conversion }: ListingFilters, parameter: Parameters, alias: string): string {
  const bounds = price && conversion ? priceBoundsByCurrency(price, conversion) : [];
  const codes = bounds.map(({ currency }) => currency);
  const at = `array_position(${parameter('currencies', codes)}::text[], ${alias}.price_currency)`;
  const bound = (name: 'min' | 'max') =>
    `(${parameter(
      `currency-${name}`,
      bounds.map((each) => each[name]),
    )}::double precision[])[${at}]`;
  const unpriced = `${parameter('unpriced', price?.unpriced ? 0 : -1)}::double precision`;
  return `(coalesce(${alias}.price_amount between ${bound('min')} and ${bound('max')}, false) or ${alias}.price_amount = ${unpriced})`;
}

/** The price in the currency of the conversion, null without a rate; as it stands without a conversion. */
export function priceKey({ conversion }: ListingFilters, parameter: Parameters, alias = 'l'): string {
  if (!conversion) return `${alias}.price_amount`;
  const codes = parameter('codes', [...conversion.factors.keys()]);
  const factors = parameter('factors', [...conversion.factors.values()]);
  return `${alias}.price_amount * (${factors}::double precision[])[array_position(${codes}::text[], ${alias}.price_currency)]`;
}

/** Kilometres from the point that listings are to be near. */
export const distance = ({ near }: ListingFilters, parameter: Parameters, alias = 'l') =>
  `distance_km(${alias}.lat, ${alias}.lng, ${parameter('near-lat', near?.lat ?? null)}::double precision, ${parameter('near-lng', near?.lng ?? null)}::double precision)`;

/** The jsonpath predicate over attributes that all parts hold for; null without any. */
export function toJsonPath(parts: readonly AttributePart[]): string | null {
  return parts.length === 0 ? null : parts.map(toPredicate).join(' && ');
}

function toPredicate({ key, anyOf, is, range }: AttributePart): string {
  const path = `$.${JSON.stringify(key)}`;
  const { min = null, max = null } = range ?? {};
  const any = [
    ...(anyOf ?? []).map((text) => `${path} like_regex ${JSON.stringify(text)} flag "iq"`),
    ...(is ?? []).map((value) => `${path} == ${value}`),
  ];
  if (any.length > 0) return any.length === 1 ? any.join() : `(${any.join(' || ')})`;
  return [
    ...(min === null ? [] : [`${path}.double() >= ${min}`]),
    ...(max === null ? [] : [`${path}.double() <= ${max}`]),
  ].join(' && ');
}

/**
 * Substrings of attribute texts of which every match has one, three characters at least: the trigram index finds candidates by
 * them. Undefined where a filter may match without.
 */
export function attributeTexts({ attributes = [] }: ListingFilters): string[] | undefined {
  const runs = attributes.flatMap(({ anyOf }) => (anyOf ? [anyOf.map(longestRun)] : []));
  const usable = runs.filter((each) => each.every((run) => /[\p{L}\p{N}]{3}/u.test(run)));
  const shortest = (each: readonly string[]) => Math.min(...each.map((run) => run.length));
  return usable.toSorted((a, b) => a.length - b.length || shortest(b) - shortest(a))[0];
}

/** The longest substring that the trigram index can look for: quotes and backslashes are escaped in JSON. */
const longestRun = (text: string): string =>
  text.split(/["\\\p{Cc}]/u).reduce((longest, run) => (run.length > longest.length ? run : longest), '');

/** Renders the condition of one filter on listings l, by its name. */
export const renderNamed = (name: FilterName, filters: ListingFilters, parameter: Parameters) =>
  renderFilter(
    table.find((filter) => filter.name === name)!,
    filters,
    parameter,
  );

/**
 * One condition over conditions that are void when their parameter is null: one text for all combinations. Opaque to the
 * planner, which thus neither misjudges its selectivity nor leaves the index whose order is asked for.
 */
export const allUnlessNull = (conditions: string[]) => `coalesce(${conditions.join(' and ')}, true)`;

/** Filters that drive a scan, and are no mere condition of it. */
const drivers = new Set(['category', 'country']);

/** Whether filters on included columns are asked for. */
export const hasColumnFilters = (filters: ListingFilters) =>
  filtersIn('lists').some(({ name }) => !drivers.has(name) && filters[name as FilterName] !== undefined);

/** Renders filters on the columns that the list indexes include, for allUnlessNull. */
const columnFilters = (filters: ListingFilters, parameter: Parameters, without: readonly FilterName[] = []) =>
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

/** The filters that no list index includes. */
const others = table.filter(({ kind, ...row }) => kind !== 'words' && !('copies' in row));

/** How many filters are asked for that no list index includes. */
export const countOtherFilters = (filters: ListingFilters) =>
  others.filter(({ name }) => filters[name] !== undefined).length;

/** Conditions of the filters that no list index includes, of those that are asked for. */
export const otherFilters = (filters: ListingFilters, parameter: Parameters): string[] =>
  others.filter(({ name }) => filters[name] !== undefined).map((filter) => renderFilter(filter, filters, parameter));

/** The condition on listings l of all filters but the words looked for, of those that are asked for. */
export const fitsFilters = (filters: ListingFilters, parameter: Parameters): string =>
  [
    'true',
    ...(filters.category ? [renderNamed('category', filters, parameter)] : []),
    ...otherFilters(filters, parameter),
    ...scanFilters(filters, parameter),
  ].join(' and ');

/** The condition of a scope. */
export function inScope(search: Search, parameter: Parameters, alias = 'l'): string {
  if (isActiveOnly(search)) return `${alias}.status = 'active'`;
  const { everyone, own } = search.scope;
  const isOfEveryone = `${alias}.status = any(${parameter('statuses', everyone)}::text[])`;
  return own ? `(${isOfEveryone} or ${isOwnListing(own, parameter, alias)})` : isOfEveryone;
}

export const isOwnListing = (
  { sellerId, statuses }: NonNullable<StatusScope['own']>,
  parameter: Parameters,
  alias = 'l',
) =>
  `l.seller_id = ${parameter('own', sellerId)} and ${alias}.status = any(${parameter('own-statuses', statuses)}::text[])`;

/** The ranges of prices looked for, as a table p (low, high): two, the second one for unpriced listings or empty. */
export function priceRanges(filters: ListingFilters, parameter: Parameters): string {
  const { low, high, unpriced } = priceBounds(filters, parameter);
  return `(values (${low}, ${high}), (${unpriced}, ${unpriced})) as p (low, high)`;
}

/** The bounds of a price; no price is below 0: where unpriced listings are not asked for, nothing is added to the range. */
function priceBounds({ price }: ListingFilters, parameter: Parameters) {
  const number = (name: string, value: number) => `${parameter(name, value)}::double precision`;
  return {
    low: number('low', price?.min ?? 0),
    high: number('high', price?.max ?? Number.POSITIVE_INFINITY),
    unpriced: number('unpriced', price?.unpriced ? 0 : -1),
  };
}
