import { keysetPredicates, isContinued, priceRangesAfter } from './keyset.ts';
import { createParameters, type Parameters } from './parameters.ts';
import {
  hasColumnFilters,
  isActiveOnly,
  limitPage,
  placeAndTimeConditions,
  namePlaceAndTime,
  isOwnListing,
  orderBy,
  orderOf,
  priceRanges,
  putsFeaturedFirst,
  renderNamed,
  selectCards,
  scanFilters,
  type Search,
  type Statement,
} from './statement.ts';
import { countMatches } from './total.ts';

/**
 * Whether list indexes answer the filters: all but words, seller, city, place and other attributes than year and length;
 * the time of the last change when sorted by it.
 */
export const canScanInOrder = ({ filters, sort }: Search) =>
  filters.q === undefined &&
  filters.seller_id === undefined &&
  filters.city === undefined &&
  filters.attributes === undefined &&
  filters.near === undefined &&
  filters.bbox === undefined &&
  (filters.updated_since === undefined || sort === 'updated_asc');

/**
 * The ordered index scan: union arms scan list indexes in the order asked for, limited and merged, then the few wide rows
 * are read. `total` is null on the last page, on pages after a position, and when not asked for.
 */
export function planOrderedScan(search: Search, { counted = true } = {}): Statement {
  const parameter = createParameters();
  const { key, direction } = orderOf(search, parameter);
  const reach = limitOf(search, parameter);
  const arms = unionArmsOf(search, key, parameter).flatMap(({ featured: isFeatured, ...arm }) =>
    (arm.keyset ?? ['']).map(
      (part) => `(select x.*, ${isFeatured} as featured from (${renderArm(arm, part, key, direction, reach)}) as x)`,
    ),
  );
  const ordered = orderBy('u.key', 'u.id', direction).replace('order by', 'order by u.featured desc,');
  const merged = `select * from (${arms.join(' union all ')}) as u ${ordered}`;
  const page = `page as materialized (${limitPage(merged, search, parameter)})`;
  const isCounted = counted && !isContinued(search);
  const total =
    () => `(select case when shown.n between 1 and ${parameter('limit', search.limit)}::int - 1 then null else ${countMatches(search, parameter)} end
    from (select count(*)::int as n from page) as shown)`;
  const order = orderBy('page.key', 'page.id', direction).replace('order by', 'order by page.featured desc,');
  return {
    name: nameOf(search, isCounted ? 'scan' : 'next'),
    text: selectCards(page, order, isCounted ? total() : 'null::int', search, parameter),
    values: parameter.values,
  };
}

/** The exact total alone. */
export function countOrderedScan(search: Search): Statement {
  const parameter = createParameters();
  return {
    name: nameOf(search, 'count'),
    text: `select ${countMatches(search, parameter)} as total`,
    values: parameter.values,
  };
}

function nameOf(search: Search, kind: 'scan' | 'next' | 'count'): string {
  const { sort, filters, scope, after } = search;
  const active = isActiveOnly(search);
  const flags = [
    filters.category && 'category',
    filters.country !== undefined && 'land',
    hasColumnFilters(filters) && 'facets',
    filters.price && 'price',
    // PostgreSQL cuts names after 63 characters.
    active ? 'active' : scope.own ? 'own' : 'other',
    !active && scope.everyone.includes('active') && 'live',
    namePlaceAndTime(filters),
    after && `a${after.featured ? 'p' : ''}${after.key === null ? 'n' : ''}`,
  ];
  return [kind, kind !== 'count' && `${sort}-${bucketOf(search) ?? 'far'}`, ...flags].filter(Boolean).join('-');
}

/** Limits of the first pages as literals: the planner then knows that they are small. */
const buckets = [21, 101];
const bucketOf = ({ offset, limit }: Search) => buckets.find((bucket) => offset + limit <= bucket);
const limitOf = (search: Search, parameter: Parameters) =>
  String(bucketOf(search) ?? `${parameter('reach', search.offset + search.limit)}::int`);

/** An arm of the union: `keyset` are its keyset predicates, one index scan each; none on a first page. */
type UnionArm = { drivers: string[]; conditions: string[]; keyset?: string[] };

/** The arms whose union is the page, each an index scan in order. */
function unionArmsOf(search: Search, key: string, parameter: Parameters): (UnionArm & { featured: boolean })[] {
  const follows = () => (isContinued(search) ? keysetPredicates(search, key, 'l.id', parameter) : undefined);
  const isAmongFeatured = search.after?.featured ?? true;
  // What follows a promoted listing is the rest of the promoted ones, and then all others.
  const others = organicArms(search, parameter).map((arm) => ({
    ...arm,
    keyset: search.after?.featured === true ? undefined : (arm.keyset ?? follows()),
    featured: false,
  }));
  if (!putsFeaturedFirst(search) || !isAmongFeatured) return others;
  const conditions = [
    ...featured(search, parameter),
    ...inCategories(search, parameter),
    ...placeAndTimeConditions(search.filters, parameter),
    ...scanFilters(search.filters, parameter),
  ];
  return [...others, { drivers: [], conditions, keyset: follows(), featured: true }];
}

function organicArms(search: Search, parameter: Parameters): UnionArm[] {
  const active = isActiveOnly(search);
  const orOther = active ? '' : ` or l.status <> 'active'`;
  const notFeatured = putsFeaturedFirst(search)
    ? [`(l.premium_type is distinct from 'featured' or l.premium_until <= ${parameter('now', search.now)}${orOther})`]
    : [];
  return active ? [armOfActive(search, notFeatured, parameter)] : armsByStatus(search, notFeatured, parameter);
}

/** One arm per status where an index has that order, and one over the caller's own listings. */
function armsByStatus(search: Search, notFeatured: string[], parameter: Parameters): UnionArm[] {
  const { scope } = search;
  const conditions = [
    ...notFeatured,
    ...inCategories(search, parameter),
    ...placeAndTimeConditions(search.filters, parameter),
    ...scanFilters(search.filters, parameter),
  ];
  const statuses = `${parameter('statuses', scope.everyone)}::text[]`;
  const everyone: UnionArm = isByTime(search)
    ? { drivers: [`unnest(${statuses}) as s (status)`], conditions: ['l.status = s.status', ...conditions] }
    : { drivers: [], conditions: [`l.status = any(${statuses})`, ...conditions] };
  return scope.own
    ? [everyone, { drivers: [], conditions: [isOwnListing(scope.own, parameter), ...conditions] }]
    : [everyone];
}

/** The arm over active listings: one scan by time, else one per category (and price range). */
function armOfActive(search: Search, notFeatured: string[], parameter: Parameters): UnionArm {
  const { filters, sort } = search;
  const active = [`l.status = 'active'`, ...notFeatured, ...placeAndTimeConditions(filters, parameter)];
  if (sort === 'random' || sort === 'updated_asc') {
    return {
      drivers: [],
      conditions: [...active, ...inCategories(search, parameter), ...scanFilters(search.filters, parameter)],
    };
  }
  if (isByTime(search) && !filters.category) {
    const conditions = [...active, ...scanFilters(filters, parameter, ['country'])];
    if (!filters.country) return { drivers: [], conditions };
    const countries = `unnest(${parameter('country', filters.country)}::text[]) as c (id)`;
    return { drivers: [countries], conditions: ['l.country = c.id', ...conditions] };
  }
  const categories = filters.category
    ? `unnest(${parameter('category', filters.category)}::text[]) as c (id)`
    : '(select id from categories) as c';
  const inCategory = [...active, 'l.category_id = c.id'];
  if (filters.price && (sort === 'price_asc' || sort === 'price_desc')) {
    const { ranges, condition } = isContinued(search)
      ? priceRangesAfter(search, filters, parameter)
      : { ranges: priceRanges(filters, parameter), condition: 'l.price_amount between p.low and p.high' };
    return {
      drivers: [categories, ranges],
      conditions: [...inCategory, condition, ...scanFilters(filters, parameter, ['price'])],
      keyset: [''],
    };
  }
  return { drivers: [categories], conditions: [...inCategory, ...scanFilters(search.filters, parameter)] };
}

const isByTime = ({ sort }: Search) => sort === 'newest' || sort === 'oldest';

const inCategories = ({ filters }: Search, parameter: Parameters) =>
  filters.category ? [renderNamed('category', filters, parameter)] : [];

const featured = ({ now }: Search, parameter: Parameters) => [
  `l.status = 'active' and l.premium_type = 'featured' and l.premium_until > ${parameter('now', now)}`,
];

function renderArm(
  { drivers, conditions }: UnionArm,
  part: string,
  key: string,
  direction: string,
  reach: string,
): string {
  const all = [...conditions, ...(part === '' ? [] : [`(${part})`])];
  const walked = `select l.id, ${key} as key from listings l where ${all.join(' and ')} ${orderBy(key, 'l.id', direction)} limit ${reach}`;
  if (drivers.length === 0) return walked;
  return `select w.id, w.key from ${drivers.join(' cross join ')} cross join lateral (${walked}) as w ${orderBy('w.key', 'w.id', direction)} limit ${reach}`;
}
