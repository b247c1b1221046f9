import { searchWarnings } from './warnings.ts';
import type { Catalog, Category } from '../catalog/tree.ts';
import { codeRules, isCountry, isCurrency } from '../kit/codes.ts';
import { invalid } from '../kit/errors.ts';
import { conversionTo, type Conversion } from '../rates/conversion.ts';
import type { ExchangeRates } from '../rates/exchange-rates.ts';
import type { Box, Circle } from '../places/area.ts';
import { readAreaFilters, type AreaQuery } from './filters-area.ts';
import { readAttributeFilters, type AttributePart, type Range } from './filters-attributes.ts';
import { splitList, type ValueList } from './value-list.ts';

/**
 * The filters of a search, one row each: SQL, facets, saved searches and the fields of the index derive from it.
 *
 * - `name`: the parameter, the member of a parsed search (ListingFilters), and the facet.
 * - `kind`: how it is read and compared; `any` is one of several values, `flag` true or false, `text` a text in any letter case,
 *   `range` a number between inclusive bounds, `price` the same with unpriced listings apart, `time` then or later.
 * - `column`: of `listings`; `type` is its SQL type where the kind does not tell.
 * - `copies`: what else holds the column: the list indexes, the narrow rows of words (`listing_search`), the facet counters.
 * - `facet`: whether matches are counted by its values, or by buckets of its numbers.
 * - `savedSearch`: the column of `saved_search_filters`; of a range the columns `min_…` and `max_…`.
 */
export const filters = [
  { name: 'q', kind: 'words', column: 'words', savedSearch: 'words' },
  {
    name: 'category',
    kind: 'any',
    column: 'category_id',
    copies: ['lists', 'words', 'counters'],
    facet: 'values',
    savedSearch: 'categories',
  },
  { name: 'seller_id', kind: 'any', column: 'seller_id', savedSearch: 'sellers' },
  {
    name: 'country',
    kind: 'any',
    column: 'country',
    copies: ['lists', 'words', 'counters'],
    facet: 'values',
    savedSearch: 'countries',
  },
  {
    name: 'condition',
    kind: 'any',
    column: 'condition',
    copies: ['lists', 'words', 'counters'],
    facet: 'values',
    savedSearch: 'conditions',
  },
  {
    name: 'type',
    kind: 'any',
    column: 'type',
    copies: ['lists', 'words', 'counters'],
    facet: 'values',
    savedSearch: 'types',
  },
  {
    name: 'shipping',
    kind: 'flag',
    column: 'shipping',
    copies: ['lists', 'words', 'counters'],
    facet: 'values',
    savedSearch: 'shipping',
  },
  { name: 'city', kind: 'text', column: 'city', savedSearch: 'city' },
  {
    name: 'price',
    kind: 'price',
    column: 'price_amount',
    copies: ['lists', 'words'],
    facet: 'buckets',
    savedSearch: 'price',
  },
  {
    name: 'year',
    kind: 'range',
    column: 'year',
    type: 'double precision',
    copies: ['lists', 'words'],
    facet: 'buckets',
    savedSearch: 'year',
  },
  {
    name: 'length',
    kind: 'range',
    column: 'length_m',
    type: 'real',
    copies: ['lists', 'words'],
    facet: 'buckets',
    savedSearch: 'length',
  },
  { name: 'near', kind: 'circle', column: 'lat, lng', savedSearch: 'near' },
  { name: 'bbox', kind: 'box', column: 'lat, lng', savedSearch: 'box' },
  { name: 'updated_since', kind: 'time', column: 'updated_at', savedSearch: 'updated_since' },
  { name: 'attributes', kind: 'attributes', column: 'attributes', savedSearch: 'attributes' },
] as const satisfies readonly Filter[];

/** `unpriced` keeps listings without a price beside those in the range. */
export type PriceRange = { min: number; max: number; unpriced: boolean };

type Values = {
  words: string;
  any: readonly string[];
  flag: boolean;
  text: string;
  price: PriceRange;
  range: Range;
  circle: Circle;
  box: Box;
  time: Date;
  attributes: readonly AttributePart[];
};
export type FilterKind = keyof Values;
export type FilterCopy = 'lists' | 'words' | 'counters';

/** A row of the table. */
export type Filter = {
  name: string;
  kind: FilterKind;
  column: string;
  type?: string;
  copies?: readonly FilterCopy[];
  facet?: 'values' | 'buckets';
  savedSearch?: string;
};

type Known = (typeof filters)[number];
export type FilterName = Known['name'];
type Named<Kind extends FilterKind> = Extract<Known, { kind: Kind }>['name'];

/** The filters of a search, read: what is undefined filters nothing. `category` holds those asked for and all below them. */
export type ListingFilters = { readonly [Each in Known as Each['name']]?: Values[Each['kind']] } & {
  /** The currency that prices are compared in; as they stand without one. */
  readonly currency?: string;
  /** How they are, where there are rates at hand. */
  readonly conversion?: Conversion;
  /** Something was asked for that no listing can have. */
  readonly impossible: boolean;
};

/** The filters of a search as its query names them; openapi.yaml has checked their form. */
export type FilterQuery = AreaQuery & { readonly [name in Named<'any'>]?: ValueList } & {
  readonly [name in Named<'flag'>]?: boolean;
} & { readonly [name in Named<'text' | 'time' | 'words'>]?: string } & {
  min_price?: number;
  max_price?: number;
  include_unpriced?: boolean;
  currency?: string;
  attr?: Readonly<Record<string, ValueList>>;
};

/** Below any price above 0: keeps unpriced listings, whose amount is 0, out of every range. */
const MIN_PRICE = 1e-300;

/**
 * Reads the filters of a search; what cannot be found is named in `warnings`. A value that is no number where one is needed, a
 * place or a currency that is none, and a key that means different things throw a validation_error.
 */
export function readFilters(
  query: FilterQuery,
  catalog: Catalog,
  rates?: ExchangeRates,
): { filters: ListingFilters; warnings: string[] } {
  const warnings: string[] = [];
  const currency = readCurrency(query.currency);
  const conversion = currency !== undefined && rates ? conversionTo(currency, rates) : undefined;
  if (conversion?.factors.size === 1) warnings.push(searchWarnings.noRate(currency ?? ''));
  const categories = readCategories(query.category, catalog, warnings);
  const country = splitList(query.country)?.map((each) => each.toUpperCase());
  for (const each of country ?? []) if (!isCountry(each)) warnings.push(searchWarnings.unknownCountry(each));
  // What is said of an unknown category alone cannot be told right from wrong.
  const attr = categories?.length === 0 ? {} : (query.attr ?? {});
  const attributes = readAttributeFilters(attr, categories, catalog);
  warnings.push(...attributes.warnings);
  if (query.radius_km !== undefined && query.near === undefined) warnings.push(searchWarnings.idleRadius());
  const plain = filters.map(({ name, kind }) => [name, readPlain(kind, query[name as keyof FilterQuery])]);
  return {
    filters: {
      ...Object.fromEntries(plain.filter(([, value]) => value !== undefined)),
      ...attributes.filters,
      ...readAreaFilters(query),
      ...(categories && { category: [...new Set(categories.flatMap(({ id }) => catalog.descendantIds(id)))] }),
      country,
      price: readPrice(query),
      ...(currency !== undefined && { currency }),
      ...(conversion && { conversion }),
      impossible: categories?.length === 0 || (query.min_price ?? 0) > (query.max_price ?? Number.POSITIVE_INFINITY),
    },
    warnings,
  };
}

/** What stands for itself; the other kinds are put together from several parameters. */
function readPlain(kind: FilterKind, value: unknown) {
  if (value === undefined) return undefined;
  if (kind === 'any') return splitList(value as ValueList);
  if (kind === 'flag') return value;
  if (kind === 'time') return new Date(value as string);
  if (kind === 'text') return (value as string).trim();
  if (kind === 'words') return (value as string).trim() || undefined;
  return undefined;
}

/** The categories of a list that there are, by id; undefined when none is asked for. */
function readCategories(
  names: ValueList | undefined,
  catalog: Catalog,
  warnings: string[],
): readonly Category[] | undefined {
  return splitList(names)?.flatMap((name) => {
    const category = catalog.find(name);
    if (!category) warnings.push(searchWarnings.unknownCategory(name));
    return category ?? [];
  });
}

function readCurrency(code: string | undefined): string | undefined {
  const currency = code?.toUpperCase();
  if (currency === undefined || isCurrency(currency)) return currency;
  throw invalid('The query is not valid.', [
    { path: '/query/currency', message: codeRules.currency, reason: 'not_a_choice' },
  ]);
}

function readPrice({ min_price: min, max_price: max, include_unpriced: unpriced }: FilterQuery) {
  if (min === undefined && max === undefined) return undefined;
  return { min: Math.max(min ?? 0, MIN_PRICE), max: max ?? Number.POSITIVE_INFINITY, unpriced: unpriced === true };
}
