import type { ListingFilters } from '../filters.ts';
import type { Position } from '../query/position.ts';
import type { Parameters } from './parameters.ts';
import type { Search, Sort } from './statement.ts';

const keyTypes: Record<Sort, string> = {
  relevance: 'double precision',
  newest: 'timestamptz',
  oldest: 'timestamptz',
  updated_asc: 'timestamptz',
  price_asc: 'double precision',
  price_desc: 'double precision',
  distance: 'double precision',
  year_desc: 'smallint',
  length_desc: 'real',
  random: 'bigint',
};

type Keyed = Pick<Search, 'sort'> & { after: Position };

const NOTHING_IS_PROMOTED = new Date('9999-12-31T00:00:00Z');

/** The `now` of a page after a position. */
export const nowAtPosition = ({ at }: Position): Date => (at === undefined ? NOTHING_IS_PROMOTED : new Date(at));

/** Whether this is a page after a position. */
export const isContinued = (search: Search): search is Search & { after: Position } => search.after !== undefined;

/**
 * Keyset predicates for rows after a position in the order (key, id): one, or two where the key is nullable, each of which
 * an index in that order serves.
 */
export function keysetPredicates({ sort, after }: Keyed, key: string, id: string, parameter: Parameters): string[] {
  const afterId = `${parameter('after-id', after.id)}::text`;
  if (after.key === null) return [`${key} is null and ${id} < ${afterId}`];
  const afterKey = `${parameter('after-key', after.key)}::${keyTypes[sort]}`;
  const compare = isDescending(sort) ? '<' : '>';
  const beyond = `(${key}, ${id}) ${compare} (${afterKey}, ${afterId})`;
  return hasNulls(sort) ? [beyond, `${key} is null`] : [beyond];
}

/** The same as one predicate over rows (featured, key, id), featured first. */
export function keysetRowPredicate(keyed: Keyed, table: string, parameter: Parameters): string {
  const follows = keysetPredicates(keyed, `${table}.key`, `${table}.id`, parameter).join(' or ');
  return keyed.after.featured ? `(not ${table}.featured or ${follows})` : `not ${table}.featured and (${follows})`;
}

const isDescending = (sort: Sort) =>
  sort !== 'oldest' && sort !== 'random' && !sort.endsWith('_asc') && sort !== 'distance';
const hasNulls = (sort: Sort) => sort === 'year_desc' || sort === 'length_desc';

/** Below and above every id. */
const FIRST_ID = '';
const LAST_ID = '~';

/**
 * Keyset pagination by price: the rest of the price ranges after a position as a table p, and the predicate over it. A
 * bound is (price, id), so that equal prices are not scanned again.
 */
export function priceRangesAfter(
  { sort, after }: Keyed,
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
