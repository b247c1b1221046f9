import { searchWarnings } from './warnings.ts';
import type { Catalog, Category } from '../catalog/tree.ts';
import { invalid } from '../kit/errors.ts';
import type { AssetTypeDefinition, AttributeDefinition } from '../profiles/profile.ts';
import { splitList, type ValueList } from './value-list.ts';

/** Inclusive bounds; null where there is none. */
export type Range = { min: number | null; max: number | null };

/** One attribute filter: any of some parts of a text, of true and false, or a range of numbers. */
export type AttributePart = {
  readonly key: string;
  readonly anyOf?: readonly string[];
  readonly is?: readonly boolean[];
  readonly range?: Range;
};

/** Filters on attributes; year and length have columns of their own. */
export type AttributeFilters = { year?: Range; length?: Range; attributes?: readonly AttributePart[] };

type Bound = 'value' | 'min' | 'max';
type Kind = 'number' | 'boolean' | 'text';
/** What the name of a filter means: an attribute, a bound of it, and the kinds of value it has in which asset types. */
type Meaning = { key: string; bound: Bound; kinds: Map<Kind, string[]> };

const OWN_COLUMNS = new Set(['year', 'length']);

/**
 * Reads `attr[…]`: `key` is any of several parts of a text (in any letter case), a number, or true/false; `min_key`, `max_key`,
 * `key_min` and `key_max` are inclusive bounds of a number. The keys are those of the asset types of the categories and of
 * those below them, or of all; others are warned of. Where asset types differ in the kind of value, the value decides.
 */
export function readAttributeFilters(
  attr: Readonly<Record<string, ValueList>>,
  categories: readonly Category[] | undefined,
  catalog: Catalog,
): { filters: AttributeFilters; warnings: string[] } {
  const warnings: string[] = [];
  const numbers = new Map<string, Range>();
  const parts: AttributePart[] = [];
  const assetTypes = categories ? assetTypesOf(categories, catalog) : catalog.assetTypes();
  for (const [name, sent] of Object.entries(attr)) {
    const values = (splitList(sent) ?? []).filter((value) => value !== '');
    if (values.length === 0) continue;
    requireBounded(name, values);
    const meaning = meaningOf(name, assetTypes);
    if (!meaning) {
      const where = categories ? ` in ${categories.map(({ id }) => id).join(', ')}` : '';
      warnings.push(searchWarnings.unknownAttribute(name, where));
      continue;
    }
    const { key, bound } = meaning;
    const kind = kindOf(name, values, meaning);
    if (kind === 'number') numbers.set(key, narrow(numbers.get(key), readNumber(name, values), bound));
    else if (kind === 'boolean') parts.push({ key, is: values.map((value) => readBoolean(name, value)) });
    else parts.push({ key, anyOf: values });
  }
  for (const [key, range] of numbers) if (!OWN_COLUMNS.has(key)) parts.push({ key, range });
  return {
    filters: {
      year: numbers.get('year'),
      length: numbers.get('length'),
      attributes: parts.length > 0 ? parts : undefined,
    },
    warnings,
  };
}

const MAX_VALUES = 50;
const MAX_VALUE_LENGTH = 200;

function requireBounded(name: string, values: readonly string[]): void {
  const isTooMuch = values.length > MAX_VALUES || values.some(({ length }) => length > MAX_VALUE_LENGTH);
  if (isTooMuch) throw refuse(name, `must be at most ${MAX_VALUES} values of at most ${MAX_VALUE_LENGTH} characters`);
}

/** The attribute filters without the one on this key; undefined when none is left. */
export function withoutAttribute(parts: readonly AttributePart[] = [], key: string) {
  const others = parts.filter((part) => part.key !== key);
  return others.length > 0 ? others : undefined;
}

/** The asset types of these categories and of those below them. */
export function assetTypesOf(categories: readonly Category[], catalog: Catalog): AssetTypeDefinition[] {
  const ids = categories.flatMap(({ id }) => catalog.descendantIds(id));
  return [...new Set(ids.map((id) => catalog.assetTypeOf(id)))].filter((each) => each !== undefined);
}

/** An attribute's own key first (boats have a max_speed), then a bound of a number. */
function meaningOf(name: string, assetTypes: readonly AssetTypeDefinition[]): Meaning | undefined {
  const own = kindsOf(name, assetTypes);
  if (own.size > 0) return { key: name, bound: 'value', kinds: own };
  for (const [key, bound] of boundedKeys(name)) {
    const ids = kindsOf(key, assetTypes).get('number');
    if (ids) return { key, bound, kinds: new Map([['number', ids]]) };
  }
  return undefined;
}

/** What `min_key` and `key_min` are bounds of; `max_key_min` may be either. */
const boundedKeys = (name: string): [string, Bound][] => [
  ...(name.startsWith('min_') ? [bounded(name.slice('min_'.length), 'min')] : []),
  ...(name.startsWith('max_') ? [bounded(name.slice('max_'.length), 'max')] : []),
  ...(name.endsWith('_min') ? [bounded(name.slice(0, -'_min'.length), 'min')] : []),
  ...(name.endsWith('_max') ? [bounded(name.slice(0, -'_max'.length), 'max')] : []),
];

const bounded = (key: string, bound: Bound): [string, Bound] => [key, bound];

/** The kinds of value that a filterable attribute has, each with the asset types that have it so. */
export function kindsOf(key: string, assetTypes: readonly AssetTypeDefinition[]): Map<Kind, string[]> {
  const kinds = new Map<Kind, string[]>();
  for (const { id, attributes } of assetTypes)
    for (const { type } of attributes.filter((each) => each.filterable && each.key === key)) {
      const kind = valueKind(type);
      kinds.set(kind, [...(kinds.get(kind) ?? []), id]);
    }
  return kinds;
}

const valueKind = (type: AttributeDefinition['type']): Kind =>
  type === 'number' || type === 'boolean' ? type : 'text';

const NUMBER = /^[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/;
const BOOLEAN = /^(?:true|false)$/i;

/** The one kind there is; of several the narrowest one that all values can be read as. */
function kindOf(name: string, values: readonly string[], { kinds }: Meaning): Kind {
  const [only, ...others] = kinds.keys();
  if (only !== undefined && others.length === 0) return only;
  if (kinds.has('number') && values.length === 1 && NUMBER.test(values[0] ?? '')) return 'number';
  if (kinds.has('boolean') && values.every((value) => BOOLEAN.test(value))) return 'boolean';
  if (kinds.has('text')) return 'text';
  const places = [...kinds].map(([kind, ids]) => `${kind} in ${ids.join(', ')}`).join('; ');
  throw refuse(name, `means different things (${places}), and this value is none of them; add a category`);
}

function narrow(range: Range = { min: null, max: null }, value: number, bound: Bound): Range {
  const min = bound === 'max' ? range.min : Math.max(range.min ?? value, value);
  const max = bound === 'min' ? range.max : Math.min(range.max ?? value, value);
  return { min, max };
}

function readNumber(name: string, values: readonly string[]): number {
  const [value = '', ...others] = values;
  if (others.length === 0 && NUMBER.test(value)) return Number(value);
  throw refuse(name, 'must be a number');
}

function readBoolean(name: string, value: string): boolean {
  if (BOOLEAN.test(value)) return value.toLowerCase() === 'true';
  throw refuse(name, 'must be true or false');
}

const refuse = (name: string, message: string) =>
  invalid('An attribute filter is not valid.', [{ path: `/query/attr/${name}`, message }]);
