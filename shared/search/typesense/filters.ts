import { filters as table, type FilterKind, type ListingFilters, type PriceRange } from '../filters.ts';
import type { AttributePart, Range } from '../filters-attributes.ts';
import type { Search } from '../search.ts';
import { andConditions, countConditions, orConditions } from './conditions.ts';
import { exactKey } from './encode.ts';
import { keysetCondition } from './keyset.ts';
import { UnsupportedQuery } from './parameters.ts';
import { attributeField, MISSING, type IndexSchema } from './schema.ts';

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
    `status:=[${scope.everyone.join(',')}]`,
    ...table.flatMap(({ name, kind, column }) => {
      const value = filters[name];
      return value === undefined ? [] : conditionsOf(kind, name, column, value, context);
    }),
    ...(after?.key === undefined || after.engine !== undefined ? [] : keysetCondition(search, after)),
  ];
  const condition = andConditions(conditions);
  if (countConditions(condition) > MAX_CONDITIONS) throw new UnsupportedQuery('Typesense takes fewer conditions');
  return condition;
}

type Value<Name extends keyof ListingFilters> = NonNullable<ListingFilters[Name]>;

/** What listings meet that fit one filter of the table, by its kind. */
function conditionsOf(
  kind: FilterKind,
  name: string,
  column: string,
  value: unknown,
  context: FilterContext,
): string[] {
  switch (kind) {
    case 'any':
      return [anyOf(column, value as readonly string[])];
    case 'text':
      return [anyOf(column, [(value as string).toLowerCase()])];
    case 'flag':
      return [`${column}:=${String(value)}`];
    case 'price':
      return [priceCondition(value as PriceRange)];
    case 'range':
      return [`${name}:>${MISSING}`, ...rangeConditions(name, value as Range)];
    case 'circle':
      return [circle(value as Value<'near'>)];
    case 'box':
      return box(value as Value<'bbox'>);
    case 'time':
      return [`${column}:>=${(value as Date).getTime() * 1_000}`];
    case 'attributes':
      return (value as readonly AttributePart[]).flatMap((part) => attributeConditions(part, context));
    case 'words':
      // The search itself: see relevance.ts.
      return [];
  }
}

/** Any of these values, byte by byte. */
const anyOf = (name: string, values: readonly string[]) =>
  `keys:=[${values.map((value) => exactKey(name, value)).join(',')}]`;

/** Thousandths of a decimal number are a little off in binary. */
const ROUNDING = 1e-3;

function priceCondition({ min, max, unpriced }: PriceRange): string {
  const range = andConditions([
    `price_milli:>=${Math.max(1, Math.ceil(min * 1_000 - ROUNDING))}`,
    ...(max === Number.POSITIVE_INFINITY ? [] : [`price_milli:<=${Math.floor(max * 1_000 + ROUNDING)}`]),
  ]);
  return unpriced ? orConditions([range, 'price_milli:=0']) : range;
}

const rangeConditions = (field: string, { min, max }: Range) => [
  ...(min === null ? [] : [`${field}:>=${decimal(min)}`]),
  ...(max === null ? [] : [`${field}:<=${decimal(max)}`]),
];

function attributeConditions({ key, anyOf: texts, is, range }: AttributePart, context: FilterContext): string[] {
  const field = attributeField(key);
  if (texts) {
    const values = context.choices.get(key);
    if (!values) throw new UnsupportedQuery(`no values of ${key} are known`);
    return [values.length > 0 ? anyOf(field, values) : NOTHING];
  }
  if (is) return [anyOf(field, is.map(String))];
  if (context.attributes.get(key) !== 'float') throw new UnsupportedQuery(`${key} is no number`);
  return range ? rangeConditions(field, range) : [];
}

/** No document has such a version. */
const NOTHING = 'version:<0';

function box({ west, south, east, north }: Value<'bbox'>): string[] {
  const lng = rangeConditions('lng', { min: west, max: east });
  return [...rangeConditions('lat', { min: south, max: north }), west <= east ? andConditions(lng) : orConditions(lng)];
}

/** Up to this radius Typesense measures a circle exactly by itself; wider ones are approximated unless it is told. */
const EXACT_KM = 10;

function circle({ lat, lng, radiusKm }: Value<'near'>): string {
  const [y, x, radius] = [decimal(lat), decimal(lng), decimal(radiusKm)];
  return radiusKm <= EXACT_KM
    ? `location:(${y}, ${x}, ${radius} km)`
    : `location:([${y}, ${x}], radius: ${radius} km, exact_filter_radius: ${radius} km)`;
}

/** A number without an exponent, which filters do not know. */
const decimal = (value: number) => (/e/.test(String(value)) ? value.toFixed(15) : String(value));
