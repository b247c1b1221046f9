import { createHash } from 'node:crypto';
import type { ListingFilters } from '../filters.ts';
import type { Position } from '../query/position.ts';
import { distance, priceKey } from './conditions.ts';
import type { Parameters, Search, Sort } from './statement.ts';

/** A sort key: its type, the expression over listings, its direction, and whether it may be null, which comes last. */
type Order = { key: string; type: string; direction: 'asc' | 'desc'; nullable?: boolean };

/** The sort key over listings l, or over the narrow rows s of words, which have no distance and no time of change. */
export function orderOf(
  { sort, seed, filters }: Pick<Search, 'sort' | 'seed' | 'filters'>,
  parameter: Parameters,
  { alias = 'l', id = 'l.id' } = {},
): Order {
  switch (sort) {
    case 'relevance':
      return { key: `${alias}.sort_at`, type: 'double precision', direction: 'desc' };
    case 'newest':
      return { key: `${alias}.sort_at`, type: 'timestamptz', direction: 'desc' };
    case 'oldest':
      return { key: `${alias}.sort_at`, type: 'timestamptz', direction: 'asc' };
    case 'updated_asc':
      return { key: `${alias}.updated_at`, type: 'timestamptz', direction: 'asc' };
    case 'price_asc':
      return { ...priceOrder(filters, parameter, alias), direction: 'asc' };
    case 'price_desc':
      return { ...priceOrder(filters, parameter, alias), direction: 'desc' };
    case 'year_desc':
      return { key: `${alias}.year`, type: 'smallint', direction: 'desc', nullable: true };
    case 'length_desc':
      return { key: `${alias}.length_m`, type: 'real', direction: 'desc', nullable: true };
    case 'distance':
      return { key: distance(filters, parameter, alias), type: 'double precision', direction: 'asc' };
    case 'random':
      return {
        key: `hashtextextended(${id}, ${parameter('seed', numberOf(seed))}::bigint)`,
        type: 'bigint',
        direction: 'asc',
      };
  }
}

/** A converted price is null for a currency without a rate. */
const priceOrder = (filters: ListingFilters, parameter: Parameters, alias: string) => ({
  key: priceKey(filters, parameter, alias),
  type: 'double precision',
  nullable: filters.conversion !== undefined,
});

const numberOf = (seed: string) => createHash('sha256').update(seed).digest().readBigInt64BE();

/** `order by` a key, with the id as tie-breaker in the same direction. */
export const orderBy = ({ direction, nullable }: Order, key: string, id: string, first = '') =>
  `order by ${first}${key} ${direction}${nullable ? ' nulls last' : ''}, ${id} ${direction}`;

/** The same for rows (featured, key, id), featured ones first. */
export const orderRowsBy = (order: Order, table: string) =>
  orderBy(order, `${table}.key`, `${table}.id`, `${table}.featured desc, `);

type Continued = { after: Position };

const NOTHING_IS_PROMOTED = new Date('9999-12-31T00:00:00Z');

/** The `now` of a page after a position. */
export const nowAtPosition = ({ at }: Position): Date => (at === undefined ? NOTHING_IS_PROMOTED : new Date(at));

/** Whether this is a page after a position. */
export const isContinued = (search: Search): search is Search & Continued => search.after !== undefined;

/**
 * Keyset predicates for rows after a position in the order (key, id): one, or two where the key is nullable, each of which
 * an index in that order serves.
 */
export function keysetPredicates(
  { direction, type, nullable }: Order,
  { after }: Continued,
  [key, id]: readonly [string, string],
  parameter: Parameters,
): string[] {
  const afterId = `${parameter('after-id', after.id)}::text`;
  const compare = direction === 'desc' ? '<' : '>';
  if (after.key === null) return [`${key} is null and ${id} ${compare} ${afterId}`];
  const afterKey = `${parameter('after-key', after.key)}::${type}`;
  const beyond = `(${key}, ${id}) ${compare} (${afterKey}, ${afterId})`;
  return nullable ? [beyond, `${key} is null`] : [beyond];
}

/** The same as a clause `where` over rows (featured, key, id), featured first; empty for a page by number. */
export function whereAfter(order: Order, search: Search, table: string, parameter: Parameters): string {
  if (!isContinued(search)) return '';
  const follows = keysetPredicates(order, search, [`${table}.key`, `${table}.id`], parameter).join(' or ');
  return search.after.featured
    ? `where (not ${table}.featured or ${follows})`
    : `where not ${table}.featured and (${follows})`;
}

/** Below and above every id. */
const FIRST_ID = '';
const LAST_ID = '~';

/**
 * Keyset pagination by price: the rest of the price ranges after a position as a table p, and the predicate over it. A
 * bound is (price, id), so that equal prices are not scanned again.
 */
export function priceRangesAfter(
  { sort, after }: { sort: Sort } & Continued,
  { price }: ListingFilters,
  parameter: Parameters,
): { ranges: string; condition: string } {
  const key = Number(after.key);
  const ascending = sort === 'price_asc';
  const whole = [
    { low: price?.min ?? 0, high: price?.max ?? Number.POSITIVE_INFINITY },
    { low: price?.unpriced ? 0 : -1, high: price?.unpriced ? 0 : -1 },
  ];
  const rows = whole.map(({ low, high }, index) => {
    const isOver = ascending ? high < key : low > key;
    const isCut = !isOver && (ascending ? low <= key : high >= key);
    const bound = isCut ? { [ascending ? 'low' : 'high']: key } : {};
    const range = isOver ? { low: 1, high: 0 } : { low, high, ...bound };
    const id = isCut ? after.id : ascending ? FIRST_ID : LAST_ID;
    const value = (name: string, of: unknown, type: string) => `${parameter(`${name}-${index}`, of)}::${type}`;
    return `(${value('price-low', range.low, 'double precision')}, ${value('price-high', range.high, 'double precision')}, ${value('price-id', id, 'text')})`;
  });
  return {
    ranges: `(values ${rows.join(', ')}) as p (low, high, id)`,
    condition: ascending
      ? '(l.price_amount, l.id) > (p.low, p.id) and l.price_amount <= p.high'
      : '(l.price_amount, l.id) < (p.high, p.id) and l.price_amount >= p.low',
  };
}
