import {
  countOtherFilters,
  inScope,
  isOwnListing,
  otherFilters,
  priceRanges,
  renderNamed,
  scanFilters,
  sortsByMoney,
} from './conditions.ts';
import { isContinued, keysetPredicates, orderBy, orderOf, orderRowsBy, priceRangesAfter } from './order.ts';
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
import { countMatches } from './total.ts';

type Order = ReturnType<typeof orderOf>;

/**
 * Whether list indexes answer the filters: all but words, seller, city, place, orders by a converted price and other attributes than year and length;
 * the time of the last change when sorted by it.
 */
export const canScanInOrder = ({ filters, sort }: Search) =>
  !sortsByMoney({ filters, sort }) &&
  filters.q === undefined &&
  countOtherFilters(sort === 'updated_asc' ? { ...filters, updated_since: undefined } : filters) === 0;

/**
 * The ordered index scan: union arms scan list indexes in the order asked for, limited and merged. `total` is null when the page
 * is not full, on pages after a position, and when not asked for.
 */
export function planOrderedScan(search: Search, { counted = true } = {}): Statement {
  const parameter = createParameters();
  const order = orderOf(search, parameter);
  const reach = limitOf(search, parameter);
  const arms = unionArmsOf(search, order, parameter).flatMap(({ featured, keyset = [], ...arm }) =>
    (keyset.length > 0 ? keyset : ['true']).map(
      (part) => `(select x.*, ${featured} as featured from (${renderArm(arm, part, order, reach)}) as x)`,
    ),
  );
  const merged = `select * from (${arms.join(' union all ')}) as u ${orderRowsBy(order, 'u')}`;
  const isFull = `(select count(*) not between 1 and ${parameter('limit', search.limit)}::int - 1 from page)`;
  const isCounted = counted && !isContinued(search);
  return {
    text: selectPage(
      `page as materialized (${limitPage(merged, search, parameter)})`,
      orderRowsBy(order, 'page'),
      isCounted ? `(select case when ${isFull} then ${countMatches(search, parameter)} end)` : 'null::int',
    ),
    values: parameter.values,
  };
}

/** Limits of the first pages as literals: the planner then knows that they are small. */
const buckets = [21, 101];
const limitOf = ({ offset, limit }: Search, parameter: Parameters) =>
  String(buckets.find((bucket) => offset + limit <= bucket) ?? `${parameter('reach', offset + limit)}::int`);

/** An arm of the union: `keyset` are its keyset predicates, one index scan each; none on a first page. */
type UnionArm = { drivers: string[]; conditions: string[]; keyset?: string[] };

/** The arms whose union is the page, each an index scan in order. */
function unionArmsOf(search: Search, order: Order, parameter: Parameters): (UnionArm & { featured: boolean })[] {
  const follows = () =>
    isContinued(search) ? keysetPredicates(order, search, [order.key, 'l.id'], parameter) : undefined;
  const isAmongFeatured = search.after?.featured ?? true;
  // What follows a promoted listing is the rest of the promoted ones, and then all others.
  const others = organicArms(search, parameter).map((arm) => ({
    ...arm,
    keyset: search.after?.featured === true ? undefined : (arm.keyset ?? follows()),
    featured: false,
  }));
  if (!putsFeaturedFirst(search) || !isAmongFeatured) return others;
  // Opaque to the planner, which takes type and end for independent and would rather read all that is promoted and sort it.
  const isNow = `coalesce(l.premium_until, '-infinity') > ${parameter('now', search.now)}`;
  const isPromoted = `l.status = 'active' and l.premium_type = 'featured' and ${isNow}`;
  const conditions = [isPromoted, ...fitsInScan(search, parameter)];
  return [...others, { drivers: [], conditions, keyset: follows(), featured: true }];
}

/** The conditions of all filters, as those of an index scan. */
const fitsInScan = ({ filters }: Search, parameter: Parameters) => [
  ...(filters.category ? [renderNamed('category', filters, parameter)] : []),
  ...otherFilters(filters, parameter),
  ...scanFilters(filters, parameter),
];

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
  const conditions = [...notFeatured, ...fitsInScan(search, parameter)];
  const statuses = `${parameter('statuses', scope.everyone)}::text[]`;
  const everyone: UnionArm = isByTime(search)
    ? { drivers: [`unnest(${statuses}) as s (status)`], conditions: ['l.status = s.status', ...conditions] }
    : { drivers: [], conditions: [`l.status = any(${statuses})`, ...conditions] };
  return scope.own
    ? [everyone, { drivers: [], conditions: [isOwnListing(scope.own, parameter), ...conditions] }]
    : [everyone];
}

/** The arm over active listings: one scan by time or price, else one per country, per price range, or per category (and price range). */
function armOfActive(search: Search, notFeatured: string[], parameter: Parameters): UnionArm {
  const { filters, sort } = search;
  const active = [inScope(search, parameter), ...notFeatured, ...otherFilters(filters, parameter)];
  if (sort === 'random' || sort === 'updated_asc') {
    const categories = filters.category ? [renderNamed('category', filters, parameter)] : [];
    return { drivers: [], conditions: [...active, ...categories, ...scanFilters(filters, parameter)] };
  }
  if (isByTime(search) && !filters.category) {
    const conditions = [...active, ...scanFilters(filters, parameter, ['country'])];
    if (!filters.country) return { drivers: [], conditions };
    const countries = `unnest(${parameter('country', filters.country)}::text[]) as c (id)`;
    return { drivers: [countries], conditions: ['l.country = c.id', ...conditions] };
  }
  const isByPrice = sort === 'price_asc' || sort === 'price_desc';
  const isEverywhere = isByPrice && !filters.category;
  const categories = filters.category
    ? `unnest(${parameter('category', filters.category)}::text[]) as c (id)`
    : '(select id from categories) as c';
  const drivers = isEverywhere ? [] : [categories];
  const within = isEverywhere ? active : [...active, 'l.category_id = c.id'];
  if (filters.price && isByPrice) {
    const { ranges, condition } = isContinued(search)
      ? priceRangesAfter(search, filters, parameter)
      : { ranges: priceRanges(filters, parameter), condition: 'l.price_amount between p.low and p.high' };
    const conditions = [...within, condition, ...scanFilters(filters, parameter, ['price'])];
    return { drivers: [...drivers, ranges], conditions, keyset: [] };
  }
  return { drivers, conditions: [...within, ...scanFilters(filters, parameter)] };
}

const isByTime = ({ sort }: Search) => sort === 'newest' || sort === 'oldest';

function renderArm({ drivers, conditions }: UnionArm, part: string, order: Order, reach: string): string {
  const scan = `select l.id, ${order.key} as key from listings l where ${conditions.join(' and ')} and (${part}) ${orderBy(order, order.key, 'l.id')} limit ${reach}`;
  if (drivers.length === 0) return scan;
  return `select w.id, w.key from ${drivers.join(' cross join ')} cross join lateral (${scan}) as w ${orderBy(order, 'w.key', 'w.id')} limit ${reach}`;
}
