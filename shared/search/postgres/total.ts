import {
  comparesMoney,
  hasColumnFilters,
  countOtherFilters,
  inScope,
  isOwnListing,
  otherFilters,
  priceRanges,
  renderNamed,
  scanFilters,
} from './conditions.ts';
import { isActiveOnly, type Parameters, type Search } from './statement.ts';

/** Totals are exact up to here; above they are this number, or how far a reader has come. */
export const COUNT_LIMIT = 10_000;

/**
 * An expression for the total of a search that list indexes answer: from the counter table where only category and status
 * are asked for, else by an index-only count.
 */
export function countMatches(search: Search, parameter: Parameters): string {
  const { filters } = search;
  const isCounted = !hasColumnFilters(filters) && filters.country === undefined && countOtherFilters(filters) === 0;
  if (isCounted) return readCounters(search, parameter);
  // As a parameter, which the planner expects to cut most of the work off: it settles for one plan for all values.
  const limit = parameter('count-limit', COUNT_LIMIT);
  return `(select count(*)::int from (${selectMatchesByIndex(search, parameter)} limit ${limit}) as counted)`;
}

/** Aggregated counters and their pending deltas; own listings in other statuses are counted. */
function readCounters({ filters, scope }: Search, parameter: Parameters): string {
  const categories = filters.category && `${parameter('category', filters.category)}::text[]`;
  const where = (table: string) =>
    `${table}.status = any(${parameter('statuses', scope.everyone)}::text[])${categories ? ` and ${table}.category_id = any(${categories})` : ''}`;
  const counters = ['listing_counts', 'listing_count_deltas'].map(
    (table) => `select n from ${table} l where ${where('l')}`,
  );
  const counted = `(select coalesce(sum(n), 0)::int from (${counters.join(' union all ')}) as c)`;
  if (!scope.own) return counted;
  const own = `${isOwnListing(scope.own, parameter)}${categories ? ` and l.category_id = any(${categories})` : ''}`;
  return `${counted} + (select count(*)::int from listings l where ${own})`;
}

/** Selects columns of matching listings l by the most selective list index. */
export function selectMatchesByIndex(search: Search, parameter: Parameters, columns = '1'): string {
  const { filters } = search;
  const select = (...conditions: string[]) =>
    `select ${columns} from listings l where ${[inScope(search, parameter), ...conditions].join(' and ')}`;
  const categories = filters.category ? [renderNamed('category', filters, parameter)] : [];
  const rest = otherFilters(filters, parameter);
  if (!isActiveOnly(search) || rest.length > 0)
    return select(...categories, ...rest, ...scanFilters(filters, parameter));
  if (filters.country !== undefined && !filters.category && !filters.price)
    return select(renderNamed('country', filters, parameter), ...scanFilters(filters, parameter, ['country']));
  const everywhere = filters.category ? categories : ['l.category_id = any(array(select id from categories))'];
  // The ranges of several currencies are a condition of the scan, and none that an index starts from.
  if (!filters.price || comparesMoney(filters)) return select(...everywhere, ...scanFilters(filters, parameter));
  const inRange = 'l.price_amount between p.low and p.high';
  const found = select(...everywhere, inRange, ...scanFilters(filters, parameter, ['price']));
  return `select ${columns === '1' ? '1' : 'found.*'} from ${priceRanges(filters, parameter)} cross join lateral (${found}) as found`;
}
