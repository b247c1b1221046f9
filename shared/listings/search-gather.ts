import type { ListingFilters } from './filters.ts';
import {
  allUnlessNull,
  createParameters,
  facets,
  inScope,
  isActiveOnly,
  limitPage,
  orderBy,
  orderOf,
  putsFeaturedFirst,
  selectCards,
  type Parameters,
  type Search,
  type Statement,
} from './search-sql.ts';

/** The texts among the attributes, as the index listings_attributes has them. */
const texts = `lower(jsonb_path_query_array(l.attributes, '$.*[*] ? (@.type() == "string")')::text)`;

/**
 * A page of the listings of a seller, a city, or with certain attributes: all matches are found by the index of the narrowest
 * of these, then sorted. What else is filtered is void when its parameter is null.
 */
export function gather(search: Search): Statement {
  const parameter = createParameters();
  const { key, direction } = orderOf(search, parameter);
  const isFeatured = putsFeaturedFirst(search)
    ? `(l.premium_type = 'featured' and l.premium_until > ${parameter('now', search.now)} and l.status = 'active') is true`
    : 'false';
  const hits = `hits as materialized (select l.id, ${key} as key, ${isFeatured} as featured from listings l
    where ${conditions(search, parameter)})`;
  const order = (table: string) =>
    orderBy(`${table}.key`, `${table}.id`, direction).replace('order by', `order by ${table}.featured desc,`);
  const page = `page as (${limitPage(`select * from hits ${order('hits')}`, search, parameter)})`;
  const total = '(select count(*)::int from hits)';
  return {
    name: nameOf(search, search.sort),
    text: selectCards(`${hits}, ${page}`, order('page'), total, search, parameter),
    values: parameter.values,
  };
}

/** The exact total of the same search alone. */
export function countGathered(search: Search): Statement {
  const parameter = createParameters();
  const text = `select count(*)::int as total from listings l where ${conditions(search, parameter)}`;
  return { name: nameOf(search, 'count'), text, values: parameter.values };
}

const nameOf = (search: Search, what: string) =>
  `list-gather-${what}-${driverOf(search)}-${isActiveOnly(search) ? 'active' : search.scope.own ? 'own' : 'statuses'}${putsFeaturedFirst(search) ? '-featured' : ''}`;

type Driver = 'seller' | 'city' | 'text' | 'categories' | 'none';

/** The filter whose index finds the candidates: the first there is, in the order of how few they are. */
function driverOf(search: Search): Driver {
  const { sellerId, city, attributeText, categoryIds } = search.filters;
  if (sellerId !== undefined) return 'seller';
  if (city !== undefined) return 'city';
  if (attributeText !== undefined && isActiveOnly(search)) return 'text';
  return categoryIds === undefined ? 'none' : 'categories';
}

function conditions(search: Search, parameter: Parameters): string {
  const { filters } = search;
  const sought = soughtBy(filters, parameter);
  const drivers: Record<Driver, () => string[]> = {
    seller: () => [sought.seller],
    city: () => [sought.city],
    text: () => [`${texts} like ${parameter('text', likeAnywhere(filters.attributeText ?? ''))}`],
    categories: () => [sought.categories],
    none: () => [],
  };
  const scope = isActiveOnly(search) ? `l.status = 'active'` : inScope(search, parameter);
  return [scope, ...drivers[driverOf(search)](), fitsFilters(filters, parameter)].join(' and ');
}

/** All filters but the words looked for, as one condition on listings l. */
export const fitsFilters = (filters: ListingFilters, parameter: Parameters) =>
  allUnlessNull([...Object.values(soughtBy(filters, parameter)), ...facets(filters, parameter)]);

function soughtBy({ sellerId, city, categoryIds, attributes }: ListingFilters, parameter: Parameters) {
  const path = `${parameter('attributes', attributes ?? null)}::jsonpath`;
  return {
    seller: `l.seller_id = ${parameter('seller', sellerId ?? null)}::text`,
    city: `lower(l.city) = lower(${parameter('city', city ?? null)}::text)`,
    categories: `l.category_id = any(${parameter('categories', categoryIds ?? null)}::text[])`,
    // A value of another type makes the predicate null, which must not read as void.
    attributes: `(${path} is null or (l.attributes @@ ${path}) is true)`,
  };
}

const likeAnywhere = (text: string) => `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
