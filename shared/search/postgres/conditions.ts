import { filters as table, type Filter, type FilterCopy, type FilterName, type ListingFilters } from '../filters.ts';
import type { AttributePart } from '../filters-attributes.ts';
import type { Parameters } from './parameters.ts';

/** The filters that a table or index holds the columns of. */
export const filtersIn = (copy: FilterCopy): readonly Filter[] =>
  (table as readonly Filter[]).filter(({ copies }) => copies?.includes(copy));

/**
 * Renders the condition of a filter on the column of a table; its SQL value is null where the filter is undefined, which
 * allUnlessNull takes for void: one text for all combinations of filters.
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
      const { low, high, unpriced } = priceBounds(filters, parameter);
      return `(${column} between ${low} and ${high} or ${column} = ${unpriced})`;
    }
    case 'attributes': {
      const path = `${parameter(name, toJsonPath(filters.attributes ?? []))}::jsonpath`;
      // A value of another type makes the predicate null, which must not read as void.
      return `(${path} is null or (${column} @@ ${path}) is true)`;
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

/** The bounds of a price; no price is below 0: where unpriced listings are not asked for, nothing is added to the range. */
export function priceBounds({ price }: ListingFilters, parameter: Parameters) {
  const number = (name: string, value: number) => `${parameter(name, value)}::double precision`;
  return {
    low: number('low', price?.min ?? 0),
    high: number('high', price?.max ?? Number.POSITIVE_INFINITY),
    unpriced: number('unpriced', price?.unpriced ? 0 : -1),
  };
}
