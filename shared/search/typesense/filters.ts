import type { ListingFilters } from '../filters.ts';
import type { AttributePart, Range } from '../filters-attributes.ts';
import type { Search } from '../search.ts';
import { andConditions, countConditions, orConditions } from './conditions.ts';
import { NO_LENGTH, NO_YEAR } from './document.ts';
import { keyOf } from './encode.ts';
import { keysetCondition } from './keyset.ts';
import { UnsupportedQuery } from './parameters.ts';
import { attributeField, type IndexSchema } from './schema.ts';

/** The server refuses more than a hundred operations; a list counts as one. */
const MAX_CONDITIONS = 90;

/** The values of attributes that hold a text looked for, by the attribute. */
export type AttributeChoices = ReadonlyMap<string, readonly string[]>;

/** What a filter string is made from beside the search. */
export type FilterContext = { attributes: IndexSchema['attributes']; choices: AttributeChoices };

/** Every filter of a search in the syntax of `filter_by`; UnsupportedQuery where that is more than Typesense takes. */
export function filterBy(search: Search, context: FilterContext): string {
  const { filters, scope, after } = search;
  const conditions = [
    `status:=${list(scope.everyone)}`,
    ...keyConditions(filters),
    ...(filters.shipping === undefined ? [] : [`shipping:=${filters.shipping}`]),
    ...priceConditions(filters),
    ...yearConditions(filters.year),
    ...lengthConditions(filters.length),
    ...(filters.attributeParts ?? []).flatMap((part) => attributeConditions(part, context)),
    ...areaConditions(filters),
    ...(filters.updatedSince ? [`updated_at:>=${filters.updatedSince.getTime() * 1_000}`] : []),
    ...(after?.key === undefined || after.engine !== undefined ? [] : keysetCondition(search, after)),
  ];
  const condition = andConditions(conditions);
  if (countConditions(condition) > MAX_CONDITIONS) throw new UnsupportedQuery('Typesense takes fewer conditions');
  return condition;
}

const list = (values: readonly string[]) => `[${values.map((value) => `\`${value}\``).join(',')}]`;

/** Any of these values, byte by byte. */
const anyOf = (name: string, values: readonly string[]) =>
  `keys:=[${values.map((value) => keyOf(name, value)).join(',')}]`;

function keyConditions(filters: ListingFilters): string[] {
  const { categoryIds, sellerId, city } = filters;
  return [
    ...(categoryIds ? [anyOf('category_id', categoryIds)] : []),
    ...(sellerId === undefined ? [] : [anyOf('seller_id', [sellerId])]),
    ...(city === undefined ? [] : [anyOf('city', [city.toLowerCase()])]),
    ...(['condition', 'country', 'type'] as const).flatMap((name) =>
      filters[name] === undefined ? [] : [anyOf(name, [filters[name]])],
    ),
  ];
}

function priceConditions({ price }: ListingFilters): string[] {
  if (!price) return [];
  const range = andConditions([
    `price_milli:>=${Math.max(1, Math.ceil(price.min * 1_000 - ROUNDING))}`,
    ...(price.max === Number.POSITIVE_INFINITY ? [] : [`price_milli:<=${Math.floor(price.max * 1_000 + ROUNDING)}`]),
  ]);
  return [price.unpriced ? orConditions([range, 'price_milli:=0']) : range];
}

/** Thousandths of a decimal number are a little off in binary. */
const ROUNDING = 1e-3;

/** The greatest value of a smallint, which a missing year counts as in a range without a lower bound. */
const LATEST_YEAR = 32_767;

function yearConditions(range: Range | undefined): string[] {
  if (!range) return [];
  const { min, max } = range;
  // A missing year is below a lower bound and above an upper one, unless that is beyond every year.
  const orMissing = (condition: string, isMet: boolean) =>
    isMet ? orConditions([condition, `year:=${NO_YEAR}`]) : andConditions([condition, `year:>${NO_YEAR}`]);
  return [
    ...(min === null ? [] : [orMissing(`year:>=${bound(Math.ceil(min))}`, min <= -1)]),
    ...(max === null ? [] : [orMissing(`year:<=${bound(Math.floor(max))}`, max >= LATEST_YEAR)]),
  ];
}

const bound = (year: number) => Math.min(Math.max(year, NO_YEAR), -NO_YEAR);

function lengthConditions(range: Range | undefined): string[] {
  if (!range) return [];
  const { min, max } = range;
  return [
    `length:>${NO_LENGTH}`,
    ...(min === null ? [] : [`length:>=${decimal(min)}`]),
    ...(max === null ? [] : [`length:<=${decimal(max)}`]),
  ];
}

function attributeConditions(part: AttributePart, { attributes, choices }: FilterContext): string[] {
  const { key, text, is, range } = part;
  const field = attributeField(key);
  if (text !== undefined) {
    const values = choices.get(key);
    if (!values) throw new UnsupportedQuery(`no values of ${key} are known`);
    return [values.length > 0 ? anyOf(field, values) : NOTHING];
  }
  if (is !== undefined) return [anyOf(field, [String(is)])];
  if (attributes.get(key) !== 'float') throw new UnsupportedQuery(`${key} is no number`);
  const { min = null, max = null } = range ?? {};
  return [
    ...(min === null ? [] : [`${field}:>=${decimal(min)}`]),
    ...(max === null ? [] : [`${field}:<=${decimal(max)}`]),
  ];
}

/** No document has such a version. */
const NOTHING = 'version:<0';

function areaConditions({ near, bbox }: ListingFilters): string[] {
  const within = (name: string, low: number, high: number) =>
    andConditions([`${name}:>=${decimal(low)}`, `${name}:<=${decimal(high)}`]);
  return [
    ...(near ? [circle(near)] : []),
    ...(bbox ? [within('lat', bbox.south, bbox.north)] : []),
    ...(bbox && bbox.west <= bbox.east ? [within('lng', bbox.west, bbox.east)] : []),
    ...(bbox && bbox.west > bbox.east
      ? [orConditions([`lng:>=${decimal(bbox.west)}`, `lng:<=${decimal(bbox.east)}`])]
      : []),
  ];
}

/** Up to this radius Typesense measures a circle exactly by itself; wider ones are approximated unless it is told. */
const EXACT_KM = 10;

function circle({ lat, lng, radiusKm }: NonNullable<ListingFilters['near']>): string {
  const [y, x, radius] = [decimal(lat), decimal(lng), decimal(radiusKm)];
  return radiusKm <= EXACT_KM
    ? `location:(${y}, ${x}, ${radius} km)`
    : `location:([${y}, ${x}], radius: ${radius} km, exact_filter_radius: ${radius} km)`;
}

/** A number without an exponent, which filters do not know. */
const decimal = (value: number) => (/e/.test(String(value)) ? value.toFixed(15) : String(value));
