import { createParameters, type Parameters } from '../search/postgres/statement.ts';
import type { DroppableFilter } from './filters-dropped.ts';

/** One query of comparables in listing_prices: which rows, which filters all must pass, and which may be dropped. */
export type ComparableQuery = {
  categoryIds: readonly string[];
  /** Rows in these currencies. */
  currencies: readonly string[];
  /** Prices of these currencies are read in another one, which is then the currency of every row. */
  conversion?: Conversion | undefined;
  /** All brands that are meant: their rows are found by an index of their own. */
  brands?: readonly string[];
  /** The filters that every row passes. */
  kept: readonly DroppableFilter[];
  /** A condition on the attributes of the listings, asked of their wide rows. */
  attributes?: string;
  /** The filters that may be dropped: the level of a row is that of the last one it fails, the floor when it passes all. */
  dropped: readonly DroppableFilter[];
  /** The level up to which filters have been dropped already. */
  floor: number;
  /** Only rows up to this level. */
  maxLevel: number;
  /** Only rows whose sampling key is up to this one: a random sample. */
  maxSamplingKey: number;
  /** What expired before no longer counts. */
  expiredSince: Date;
  /** Only these listings, one of each duplicate group: what an earlier query has found. */
  ids?: readonly string[];
};

/** What one unit of each currency is in another one. */
export type Conversion = { to: string; factors: ReadonlyMap<string, number> };

/** What the nearest listings are near to, how many of them are asked for, and whether expired ones may be among them. */
export type NearestTo = { price?: number; year?: number; length?: number; count: number; showExpired: boolean };

type Statement = { text: string; values: unknown[] };

export const MAX_SAMPLING_KEY = 2 ** 31 - 1;
const MIN_SAMPLING_KEY = -(2 ** 31);

/** The sampling key (column `draw`, uniform over 32 bits) up to which this share of all rows lies. */
export const samplingKeyOf = (share: number) =>
  share >= 1 ? MAX_SAMPLING_KEY : Math.floor(MIN_SAMPLING_KEY + share * 2 ** 32);

/** The share of all rows up to this sampling key. */
export const sampledShare = (key: number) => (key - MIN_SAMPLING_KEY) / 2 ** 32;

/** Counts comparables by currency and level, with their ids when asked for. */
export function countComparables(query: ComparableQuery, { withIds = false } = {}): Statement {
  const parameter = createParameters();
  const ids = withIds ? 'array_agg(listing_id)' : `'{}'::text[]`;
  const text = `select currency, level, count(*)::int as n, ${ids} as ids from (${comparablesOf(query, parameter)}) as comparables
    group by currency, level`;
  return { text, values: [...parameter.values] };
}

/**
 * The statistics of all comparables in one row: `converted` are those in other currencies, `at` are the percentiles 10, 25, 50, 75 and 90 as percentile_cont has them,
 * `recommended` the quartiles without outliers. Sorts the prices once and takes order statistics by position.
 */
export function measureComparables(query: ComparableQuery, price: number | undefined): Statement {
  const parameter = createParameters();
  const asked = `${parameter('price', price ?? null)}::float8`;
  const text = `with sorted as (
    select array_agg(price order by price) as a, count(*)::int as n, avg(price) as mean,
      count(*) filter (where is_converted)::int as converted,
      count(*) filter (where price < ${asked})::int as below, count(*) filter (where price = ${asked})::int as equal
    from (${comparablesOf(query, parameter)}) as comparables),
  quartiles as (
    select *, ${percentile(0.25)} as q1, ${percentile(0.75)} as q3 from sorted),
  fenced as (
    select *, case when low > 0 then width_bucket(low * (1 - ${ROUNDING}), a) else 0 end + 1 as first, width_bucket(high * (1 + ${ROUNDING}), a) as last
    from (select *, q1 - 1.5 * (q3 - q1) as low, q3 + 1.5 * (q3 - q1) as high from quartiles) as fences)
  select n, converted, a[1] as min, a[n] as max, mean, below, equal,
    array[${[0.1, 0.25, 0.5, 0.75, 0.9].map((share) => percentile(share)).join(', ')}] as at,
    array[${[0.25, 0.5, 0.75].map((share) => percentile(share, 'first', 'last')).join(', ')}] as recommended
  from fenced`;
  return { text, values: [...parameter.values] };
}

/** Tolerance of rounding at the bound of outliers. */
const ROUNDING = '1e-12';

/** The value at this share of the sorted array a, from one place to another, interpolated between its neighbours. */
function percentile(share: number, first = '1', last = 'n'): string {
  const place = `(${first} + ${share}::float8 * (${last} - ${first}))`;
  const [below, above] = [`a[floor(${place})::int]`, `a[ceil(${place})::int]`];
  return `${below} + (${above} - ${below}) * (${place} - floor(${place}))`;
}

/** The ids of the nearest comparables: by filters passed, then year and length, then price. */
export function findNearest(query: ComparableQuery, { price, year, length, count, showExpired }: NearestTo): Statement {
  const parameter = createParameters();
  const from = (name: string, value: number) => `${parameter(name, value)}::float8`;
  const away = [
    ...(price === undefined ? [] : [`abs(ln(price) - ln(${from('near-price', price)}))`]),
    ...(year === undefined ? [] : [`coalesce(abs(year - ${from('near-year', year)}) / ${YEARS_LIKE_A_FACTOR_E}, 1)`]),
    ...(length === undefined
      ? []
      : [`coalesce(${LENGTH_COUNTS} * abs(ln(greatest(length_m, 0.1)) - ln(${from('near-length', length)})), 1)`]),
  ];
  const order = ['level', ...(away.length > 0 ? [away.join(' + ')] : []), 'listing_id desc'];
  const text = `select listing_id from (${comparablesOf(query, parameter)}) as comparables where ${showExpired ? 'true' : 'expired_at is null'}
    order by ${order.join(', ')} limit ${parameter('nearest', count)}::int`;
  return { text, values: [...parameter.values] };
}

/** The scale of the distance: years in which a price falls by the factor e, and the exponent of length in price. */
const YEARS_LIKE_A_FACTOR_E = 20;
const LENGTH_COUNTS = 3;

const ownPrice = 'p.price, p.currency, false as is_converted';
const others = 'p.listing_id, p.year, p.length_m, p.expired_at';

/** The columns of a comparable; its price in the currency of the conversion, when there is one. */
function columnsOf({ conversion }: ComparableQuery, parameter: Parameters): string {
  if (!conversion) return `${others}, ${ownPrice}`;
  const to = `${parameter('to', conversion.to)}::text`;
  return `${others}, p.price * x.factor as price, ${to} as currency, p.currency <> ${to} as is_converted`;
}

/** The factors of a conversion, as a table x to be joined. */
function factorsOf({ conversion }: Pick<ComparableQuery, 'conversion'>, parameter: Parameters): string {
  if (!conversion) return '';
  const [codes, factors] = [[...conversion.factors.keys()], [...conversion.factors.values()]];
  return ` join unnest(${parameter('codes', codes)}::text[], ${parameter('factors', factors)}::float8[]) as x (code, factor) on x.code = p.currency`;
}

/**
 * The comparables of a query, each with its level. A duplicate group counts once per currency: its listing of the lowest
 * level, the newest of several.
 */
function comparablesOf(query: ComparableQuery, parameter: Parameters): string {
  const level = levelOf(query, parameter);
  const columns = columnsOf(query, parameter);
  if (query.ids)
    return `select ${columns}, ${level} as level from listing_prices p${factorsOf(query, parameter)} where p.listing_id = any(${parameter('ids', query.ids)}::text[])`;
  const upTo = `level <= ${parameter('max-level', query.maxLevel)}::int`;
  return `select * from (select ${columns}, ${level} as level from ${rows(query, 'p.group_id is null', parameter)}) as single
    where ${upTo}
    union all
    select listing_id, year, length_m, expired_at, price, currency, is_converted, level from (
      select distinct on (group_id, currency) * from (
        select ${columns}, p.group_id, ${level} as level from ${rows(query, 'p.group_id is not null', parameter)}) as copies
      where ${upTo} order by group_id, currency, level, listing_id desc) as groups`;
}

/** The rows of a query, as a table p of listing_prices. */
function rows({ attributes, ...query }: ComparableQuery, group: string, parameter: Parameters): string {
  const kept = query.kept.flatMap(({ condition }) => (condition ? [condition(parameter)] : []));
  const where = [...baseOf(query, parameter), group, ...kept].join(' and ');
  const prices = `listing_prices p${factorsOf(query, parameter)}`;
  if (attributes === undefined) return `${prices} where ${where}`;
  return `${prices} join listings l on l.id = p.listing_id
    where ${where} and l.attributes @@ ${parameter('attributes', attributes)}::jsonpath`;
}

function baseOf(
  { categoryIds, currencies, conversion, brands, maxSamplingKey, expiredSince }: Omit<ComparableQuery, 'attributes'>,
  parameter: Parameters,
): string[] {
  return [
    `p.category_id = any(${parameter('categories', categoryIds)}::text[])`,
    `p.currency = any(${parameter('currencies', conversion ? [...conversion.factors.keys()] : currencies)}::text[])`,
    ...(brands ? [`p.brand = any(${parameter('brands', brands)}::text[])`] : []),
    ...(maxSamplingKey === MAX_SAMPLING_KEY ? [] : [`p.draw <= ${parameter('draw', maxSamplingKey)}::int`]),
    `(p.expired_at is null or p.expired_at > ${parameter('expired-since', expiredSince)}::timestamptz)`,
  ];
}

function levelOf({ dropped, floor }: ComparableQuery, parameter: Parameters): string {
  const cases = dropped
    .toSorted((a, b) => b.level - a.level)
    .flatMap(({ level, condition }) =>
      condition ? [`when (${condition(parameter)}) is not true then ${Math.trunc(level)}`] : [],
    );
  const base = `${parameter('floor', floor)}::int`;
  return cases.length === 0 ? base : `case ${cases.join(' ')} else ${base} end`;
}
