import type { Position, Search } from '../search.ts';
import { andConditions, orConditions } from './conditions.ts';
import { encodeIdOrder, toMilli } from './encode.ts';
import { UnsupportedQuery } from './parameters.ts';
import { MISSING } from './schema.ts';

/** The fields of a hit that tell where a page ends. */
export type SortFields = Record<
  'sort_at' | 'updated_at' | 'price' | 'price_milli' | 'year' | 'length' | 'featured_until',
  number
>;
export const SORT_FIELDS: readonly (keyof SortFields)[] = [
  'sort_at',
  'updated_at',
  'price',
  'price_milli',
  'year',
  'length',
  'featured_until',
];

/** Times are microseconds. */
export const micros = (time: Date) => BigInt(time.getTime()) * 1_000n;

export const isPromoted = ({ now }: Pick<Search, 'now'>) => `featured_until:>${micros(now)}`;

/** The field that an order goes by, and its direction, which the ids follow. */
export function orderField({ sort }: Pick<Search, 'sort'>): { field: keyof SortFields; isDescending: boolean } {
  switch (sort) {
    case 'oldest':
      return { field: 'sort_at', isDescending: false };
    case 'updated_asc':
      return { field: 'updated_at', isDescending: false };
    case 'price_asc':
      return { field: 'price_milli', isDescending: false };
    case 'price_desc':
      return { field: 'price_milli', isDescending: true };
    case 'year_desc':
      return { field: 'year', isDescending: true };
    case 'length_desc':
      return { field: 'length', isDescending: true };
    default:
      return { field: 'sort_at', isDescending: true };
  }
}

/** Orders whose pages follow by key: all others go on by number. */
export const isKeyset = ({ sort }: Pick<Search, 'sort'>) => sort !== 'relevance' && sort !== 'distance';

/** The keyset condition for documents after a position, promoted ones first where the order has them first. */
export function keysetCondition(search: Search, after: Position): string[] {
  if (!isKeyset(search)) return [];
  const { field, isDescending } = orderField(search);
  const beyond = isDescending ? ':<' : ':>';
  const { high, low } = encodeIdOrder(after.id);
  const key = readKey(search, after);
  const sameKey = andConditions([
    `${field}:=${key}`,
    orConditions([`id_high${beyond}${high}`, andConditions([`id_high:=${high}`, `id_low${beyond}${low}`])]),
  ]);
  const rest = orConditions([`${field}${beyond}${key}`, sameKey]);
  if (search.sort !== 'newest') return [rest];
  const isPlain = `featured_until:<=${micros(search.now)}`;
  return [
    after.featured
      ? orConditions([isPlain, andConditions([isPromoted(search), rest])])
      : andConditions([isPlain, rest]),
  ];
}

/** The key of a position, as PostgreSQL writes it, in the units of its field. */
function readKey({ sort }: Search, { key }: Position): bigint | number {
  switch (sort) {
    case 'price_asc':
    case 'price_desc':
      return toMilli(Number(key));
    case 'year_desc':
    case 'length_desc':
      return key === null ? MISSING : Number(key);
    default:
      return readMicros(key ?? '');
  }
}

/** The key of a hit as PostgreSQL writes it: either engine goes on from there. */
export function writeKey({ sort }: Pick<Search, 'sort'>, hit: SortFields): string | null {
  switch (sort) {
    case 'price_asc':
    case 'price_desc':
      return String(hit.price);
    case 'year_desc':
      return hit.year === MISSING ? null : String(hit.year);
    case 'length_desc':
      return hit.length === MISSING ? null : String(hit.length);
    default:
      return writeMicros(hit[orderField({ sort }).field]);
  }
}

function writeMicros(time: number): string {
  const seconds = Math.floor(time / 1_000_000);
  const fraction = String(time - seconds * 1_000_000).padStart(6, '0');
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')}.${fraction}+00`;
}

const TIME = /^(?<whole>[\d-]+ [\d:]+)(?:\.(?<fraction>\d{1,6}))?\+00(?::00)?$/;

/** `2025-10-04 09:31:08.004567+00` in microseconds, every one of which counts. */
function readMicros(text: string): bigint {
  const { whole, fraction = '' } = TIME.exec(text)?.groups ?? {};
  const time = Date.parse(`${whole?.replace(' ', 'T')}Z`);
  if (Number.isNaN(time)) throw new UnsupportedQuery('a place in time that Typesense does not know');
  return BigInt(time) * 1_000n + BigInt(fraction.padEnd(6, '0'));
}
