import type { Catalog, Category } from '../catalog/tree.ts';
import { invalid } from '../kit/errors.ts';
import type { AssetTypeDefinition, AttributeDefinition } from '../profiles/profile.ts';

/** Inclusive bounds; null where there is none. */
export type Range = { min: number | null; max: number | null };

/** Filters on attributes; year and length have columns of their own, the others are one condition on the JSON. */
export type AttributeFilters = {
  year?: Range;
  length?: Range;
  /** The jsonpath predicate over attributes, all filters in one. */
  attributes?: string;
  /** A substring of an attribute text, three characters at least: the trigram index finds candidates by it. */
  attributeText?: string;
  /** The predicates it is made of, by attribute. */
  attributeParts?: readonly AttributePart[];
};

/** One attribute filter: as jsonpath, and as substring, boolean or range. */
export type AttributePart = { key: string; predicate: string; text?: string; is?: boolean; range?: Range };

type Part = 'value' | 'min' | 'max';
type Named = { name: string; value: string; definition: AttributeDefinition; part: Part };

/**
 * Reads `attr[…]`: `key` is part of a text (in any letter case), a number or true/false; `min_key`, `max_key`, `key_min` and
 * `key_max` are inclusive bounds of a number. The keys are those of the category's asset type and, where they say nothing,
 * of the asset types below it; others are warned of. Without a category the keys must tell the asset type: 400 otherwise.
 */
export function readAttributeFilters(
  attr: Readonly<Record<string, string>>,
  category: Category | undefined,
  catalog: Catalog,
): { filters: AttributeFilters; warnings: string[] } {
  const entries = Object.entries(attr).filter(([, value]) => value.trim() !== '');
  if (entries.length === 0) return { filters: {}, warnings: [] };
  const assetTypes = category
    ? assetTypesOf(category, catalog)
    : inferAssetType(
        entries.map(([name]) => name),
        catalog,
      );
  const named: Named[] = [];
  const warnings: string[] = [];
  for (const [name, value] of entries) {
    const meaning = meaningOf(name, assetTypes);
    if (meaning) named.push({ name, value: value.trim(), ...meaning });
    else
      warnings.push(
        `The attribute filter '${name}' is unknown${category ? ` in ${category.id}` : ''} and was ignored.`,
      );
  }
  return { filters: toFilters(named), warnings };
}

function assetTypesOf(category: Category, catalog: Catalog): AssetTypeDefinition[] {
  const found = catalog.descendantIds(category.id).map((id) => catalog.assetTypeOf(id));
  return [...new Set(found)].filter((assetType) => assetType !== undefined);
}

/** The one asset type that knows all of these keys which any of them knows. */
function inferAssetType(names: string[], catalog: Catalog): AssetTypeDefinition[] {
  const assetTypes = catalog.assetTypes();
  const known = names.filter((name) => meaningOf(name, assetTypes));
  const candidates =
    known.length === 0 ? [] : assetTypes.filter((each) => known.every((name) => meaningOf(name, [each])));
  if (candidates.length === 1) return candidates;
  const reason =
    candidates.length > 1 ? `they fit ${candidates.map(({ id }) => id).join(', ')}` : 'no asset type has them all';
  throw invalid(`The attribute filters do not tell what is looked for (${reason}); add a category.`, [
    { path: '/query/category', message: 'is needed with these attribute filters' },
  ]);
}

/** What a filter's name means: an attribute's own key first (boats have a max_speed), then a bound of a number. */
function meaningOf(
  name: string,
  assetTypes: readonly AssetTypeDefinition[],
): { definition: AttributeDefinition; part: Part } | undefined {
  const bounds = [/^(?<bound>min|max)_(?<key>.+)$/.exec(name), /^(?<key>.+)_(?<bound>min|max)$/.exec(name)];
  for (const { attributes } of assetTypes) {
    const find = (key: string | undefined) => attributes.find((each) => each.filterable && each.key === key);
    const own = find(name);
    if (own) return { definition: own, part: 'value' };
    for (const bound of bounds) {
      const definition = find(bound?.groups?.['key']);
      if (definition?.type === 'number')
        return { definition, part: bound?.groups?.['bound'] === 'min' ? 'min' : 'max' };
    }
  }
  return undefined;
}

function toFilters(named: Named[]): AttributeFilters {
  const numbers = new Map<string, Range>();
  const parts: AttributePart[] = [];
  for (const { name, value, definition, part } of named) {
    const { key, type } = definition;
    const path = `$.${JSON.stringify(key)}`;
    if (type === 'number') numbers.set(key, narrow(numbers.get(key), numberOf(name, value), part));
    else if (type === 'boolean') {
      const is = booleanOf(name, value);
      parts.push({ key, predicate: `${path} == ${is}`, is });
    } else parts.push({ key, predicate: `${path} like_regex ${JSON.stringify(value)} flag "iq"`, text: value });
  }
  const { year, length, ...others } = Object.fromEntries(numbers);
  for (const [key, range] of Object.entries(others))
    parts.push({ key, predicate: rangeConditions(key, range).join(' && '), range });
  return { year, length, ...combineParts(parts) };
}

/** The filters without the one on this attribute. */
export function withoutAttribute(filters: AttributeFilters, key: string): AttributeFilters {
  return { ...filters, ...combineParts((filters.attributeParts ?? []).filter((part) => part.key !== key)) };
}

function combineParts(
  parts: readonly AttributePart[],
): Pick<AttributeFilters, 'attributes' | 'attributeText' | 'attributeParts'> {
  return {
    attributes: parts.length > 0 ? parts.map(({ predicate }) => predicate).join(' && ') : undefined,
    attributeText: indexable(parts.flatMap(({ text }) => (text === undefined ? [] : [text]))),
    attributeParts: parts.length > 0 ? parts : undefined,
  };
}

function narrow(range: Range = { min: null, max: null }, value: number, part: Part): Range {
  const min = part === 'max' ? range.min : Math.max(range.min ?? value, value);
  const max = part === 'min' ? range.max : Math.min(range.max ?? value, value);
  return { min, max };
}

function rangeConditions(key: string, { min, max }: Range): string[] {
  const value = `$.${JSON.stringify(key)}.double()`;
  return [...(min === null ? [] : [`${value} >= ${min}`]), ...(max === null ? [] : [`${value} <= ${max}`])];
}

/** The longest substring that the trigram index can look for: quotes and backslashes are escaped in JSON. */
function indexable(texts: string[]): string | undefined {
  const runs = texts.flatMap((text) => text.split(/["\\\p{Cc}]/u)).sort((a, b) => b.length - a.length);
  return runs[0] !== undefined && /[\p{L}\p{N}]{3}/u.test(runs[0]) ? runs[0] : undefined;
}

function numberOf(name: string, value: string): number {
  if (/^[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/.test(value)) return Number(value);
  throw invalid('An attribute filter is not valid.', [{ path: `/query/attr/${name}`, message: 'must be a number' }]);
}

function booleanOf(name: string, value: string): boolean {
  const text = value.toLowerCase();
  if (text === 'true' || text === 'false') return text === 'true';
  throw invalid('An attribute filter is not valid.', [
    { path: `/query/attr/${name}`, message: 'must be true or false' },
  ]);
}
