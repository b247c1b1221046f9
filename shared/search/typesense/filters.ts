import type { ListingFilters } from '../filters.ts';
import type { AttributePart, Range } from '../filters-attributes.ts';
import { needsConversion } from '../postgres/statement.ts';
import type { Position, Search } from '../search.ts';
import { andConditions, orConditions, countConditions } from './conditions.ts';
import { NO_YEAR } from './document.ts';
import { ngramsToFind, MISSING, encodeIdOrder, encodeSortable, token } from './encode.ts';
import { UnsupportedQuery } from './words.ts';

/** Up to this radius Typesense measures a circle exactly; a wider one it approximates. */
export const MAX_EXACT_KM = 10;

/** The server refuses more than a hundred operations, joins included. */
const MAX_CONDITIONS = 50;
/** N-grams of a substring at most: other filters need conditions, too. */
const MAX_GRAMS = 30;

/**
 * Every filter of a search in the syntax of `filter_by`, what follows its position, and the condition of its words;
 * NotUnderstood where that is more than Typesense takes.
 */
export function filterBy(search: Search, words?: string): string {
  const { filters, scope, after } = search;
  if (needsConversion(search)) throw new UnsupportedQuery('prices of several currencies are compared by PostgreSQL');
  const conditions = [
    `status:=${list(scope.everyone)}`,
    ...(filters.category ? [`category_key:=${list(filters.category.map((id) => token(id)))}`] : []),
    ...(filters.seller_id ? [`seller_key:=${list(filters.seller_id.map((id) => token(id)))}`] : []),
    ...(filters.city === undefined ? [] : [`city_key:=${token(filters.city.toLowerCase())}`]),
    ...(['condition', 'country', 'type'] as const).flatMap((name) =>
      filters[name] === undefined ? [] : [`${name}:=${list(filters[name])}`],
    ),
    ...(filters.shipping === undefined ? [] : [`shipping:=${filters.shipping}`]),
    ...priceConditions(filters),
    ...yearConditions(filters.year),
    ...lengthConditions(filters.length),
    ...(filters.attributes ?? []).flatMap(attributeConditions),
    ...areaConditions(filters),
    ...(filters.updated_since ? [`updated_at:>=${filters.updated_since.getTime() * 1_000}`] : []),
    ...(after && search.sort !== 'relevance' ? [keysetCondition(search, after)] : []),
    ...(words === undefined ? [] : [words]),
  ];
  const condition = andConditions(conditions);
  if (countConditions(condition) > MAX_CONDITIONS) throw new UnsupportedQuery('the index takes fewer conditions');
  return condition;
}

const list = (values: readonly string[]) => `[${values.map(quote).join(',')}]`;
const quote = (value: string) => `\`${value.replaceAll('`', '')}\``;

function priceConditions({ price }: ListingFilters): string[] {
  if (!price) return [];
  const range = andConditions([
    `price:>=${encodeSortable(price.min)}`,
    ...(price.max === Number.POSITIVE_INFINITY ? [] : [`price:<=${encodeSortable(price.max)}`]),
  ]);
  return [price.unpriced ? orConditions([range, `price:=${encodeSortable(0)}`]) : range];
}

function yearConditions(range: Range | undefined): string[] {
  if (!range) return [];
  const { min, max } = range;
  return [
    `year:>${NO_YEAR}`,
    ...(min === null ? [] : [`year:>=${bound(Math.ceil(min))}`]),
    ...(max === null ? [] : [`year:<=${bound(Math.floor(max))}`]),
  ];
}

const bound = (year: number) => Math.min(Math.max(year, NO_YEAR), -NO_YEAR);

function lengthConditions(range: Range | undefined): string[] {
  if (!range) return [];
  const { min, max } = range;
  return [
    ...(min === null ? [] : [`length:>=${encodeSortable(Math.fround(min))}`]),
    ...(max === null ? [] : [`length:<=${encodeSortable(Math.fround(max))}`, `length:>${MISSING}`]),
  ];
}

function attributeConditions({ key, anyOf, is, range }: AttributePart): string[] {
  const hasPart = (part: string) => `parts:=${part}`;
  if (anyOf) {
    const ngrams = (text: string) => ngramsToFind(key, text).slice(0, MAX_GRAMS).map(hasPart);
    return anyOf.length === 1 ? ngrams(anyOf[0]!) : [orConditions(anyOf.map((text) => andConditions(ngrams(text))))];
  }
  if (is) return [orConditions(is.map((value) => hasPart(token('is', key, String(value)))))];
  const { min = null, max = null } = range ?? {};
  return [
    ...(min === null ? [] : [`number_${key}:>=${encodeSortable(min)}`]),
    ...(max === null ? [] : [`number_${key}:<=${encodeSortable(max)}`]),
  ];
}

function areaConditions({ near, bbox }: ListingFilters): string[] {
  const within = (name: string, low: number, high: number) =>
    andConditions([`${name}:>=${encodeSortable(low)}`, `${name}:<=${encodeSortable(high)}`]);
  return [
    ...(near ? [`location:(${near.lat}, ${near.lng}, ${near.radiusKm} km)`] : []),
    ...(bbox ? [within('lat', bbox.south, bbox.north)] : []),
    ...(bbox && bbox.west <= bbox.east ? [within('lng', bbox.west, bbox.east)] : []),
    ...(bbox && bbox.west > bbox.east
      ? [orConditions([`lng:>=${encodeSortable(bbox.west)}`, `lng:<=${encodeSortable(bbox.east)}`])]
      : []),
  ];
}

/** The keyset condition for documents after a position, promoted ones first where the order has them first. */
function keysetCondition(search: Search, after: Position): string {
  const { field, isDescending } = orderField(search);
  const [beyond, follows] = isDescending ? [':<', ':<'] : [':>', ':>'];
  const { high, low } = encodeIdOrder(after.id);
  const key = keyOf(search, after);
  const sameKey = [
    `${field}:=${key}`,
    orConditions([`high${follows}${high}`, andConditions([`high:=${high}`, `low${follows}${low}`])]),
  ];
  const rest = orConditions([`${field}${beyond}${key}`, andConditions(sameKey)]);
  if (search.sort !== 'newest') return rest;
  const isFeatured = `featured_until:>${micros(search.now)}`;
  const isPlain = `featured_until:<=${micros(search.now)}`;
  return after.featured ? orConditions([isPlain, andConditions([isFeatured, rest])]) : andConditions([isPlain, rest]);
}

/** Far away times are told as the last that a position may name. */
export const micros = (time: Date) => BigInt(time.getTime()) * 1_000n;

/** The field that an order goes by, and its direction, which the ids follow. */
export function orderField({ sort }: Pick<Search, 'sort'>): { field: string; isDescending: boolean } {
  switch (sort) {
    case 'oldest':
      return { field: 'sort_at', isDescending: false };
    case 'updated_asc':
      return { field: 'updated_at', isDescending: false };
    case 'price_asc':
      return { field: 'price', isDescending: false };
    case 'price_desc':
      return { field: 'price', isDescending: true };
    case 'year_desc':
      return { field: 'year', isDescending: true };
    case 'length_desc':
      return { field: 'length', isDescending: true };
    default:
      return { field: 'sort_at', isDescending: true };
  }
}

/** The key of a position, which PostgreSQL has written, as the index holds it. */
function keyOf({ sort }: Search, { key }: Position): bigint | number {
  switch (sort) {
    case 'price_asc':
    case 'price_desc':
      return encodeSortable(Number(key));
    case 'year_desc':
      return key === null ? NO_YEAR : Number(key);
    case 'length_desc':
      return key === null ? MISSING : encodeSortable(Math.fround(Number(key)));
    default:
      return microsOf(key ?? '');
  }
}

/** `2025-10-04 09:31:08.004567+00` in microseconds, every one of which counts. */
function microsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace(/\+00(?::00)?$/, '').split('.');
  return BigInt(Date.parse(`${whole.replace(' ', 'T')}Z`)) * 1_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}
