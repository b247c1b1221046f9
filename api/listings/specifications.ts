import { translateAttribute } from '../../shared/catalog/attribute-words.ts';
import type { Catalog } from '../../shared/catalog/tree.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Listing } from './present.ts';

/** One fact as a reader sees it: its label, and its value with the unit behind it. */
export type Specification = { label: string; value: string };

type Group = keyof NonNullable<NonNullable<Listing['boat']>['specs']>;

/** JSON in the database forgets the order of its keys. */
const groups: readonly Group[] = [
  'dimensions',
  'construction',
  'rigging',
  'accommodation',
  'engine',
  'tanks',
  'electrical',
  'electronics',
  'safety',
  'deck_equipment',
  'additional',
];
/** Attributes that have another name than the fields of a boat that they repeat; a unit behind the name is no other name. */
const attributeOf = new Map([
  ['length_overall_m', 'length'],
  ['builder', 'brand'],
  ['category', 'design_category'],
]);
/** Facts of scraped pages that every listing has fields for, shown in their own places. */
const ownFields = new Set(['title', 'description', 'price', 'location', 'condition', 'category']);
const units = { m: 'm', m2: 'm²', kg: 'kg', l: 'l', hp: 'hp', kw: 'kW', kn: 'kn', ah: 'Ah', v: 'V', w: 'W' };
const unitSuffix = new RegExp(`^(.+)_(${Object.keys(units).join('|')})$`);

/** In what language facts are told, and how it says yes and no. */
type Language = { locale: Locale; yesNo: Record<'true' | 'false', string> };
type Wording = Language & { catalog: Pick<Catalog, 'localizedValue'> };

const ENGLISH: Language = { locale: 'en', yesNo: { true: 'yes', false: 'no' } };
/** The template whose words the specification of a boat shares. */
const BOATS = 'boats';

/**
 * The facts of a listing: its attributes in the order and with the labels and units of the asset type, then what the asset
 * type does not know, then the boat's own facts and the groups of its specification, as far as no attribute tells them
 * already. Empty values are left out.
 */
export function readSpecifications(
  { attributes = {}, boat, category }: Pick<Listing, 'attributes' | 'boat' | 'category'>,
  catalog: Catalog,
  language = ENGLISH,
): Specification[] {
  const wording = { ...language, catalog };
  const assetType = catalog.assetTypeOf(category.id);
  const definitions = assetType ? catalog.localizedAssetType(assetType, wording.locale).attributes : [];
  const known = new Set(definitions.map(({ key }) => key));
  const others = Object.entries(attributes).filter(([key]) => !known.has(key) && !ownFields.has(key));
  const told = ([key, value]: [string, unknown]) =>
    [key, unitSuffix.exec(key)?.[1] ?? key, attributeOf.get(key) ?? key].some((name) => attributes[name] === value);
  const facts = [...ownFacts(boat), ...groups.flatMap((group) => Object.entries(boat?.specs?.[group] ?? {}))];
  return [
    ...definitions.flatMap(({ key, label, unit }) => specify(wording, key, label, attributes[key], unit)),
    ...others.flatMap(([key, value]) => specifyKey(wording, key, value)),
    ...facts.filter((fact) => !told(fact)).flatMap(([key, value]) => specifyKey(wording, key, value, BOATS)),
  ];
}

function ownFacts({ brand, model, variant, year, hull_id }: NonNullable<Listing['boat']> = {}): [string, unknown][] {
  return Object.entries({ brand, model, variant, year, hull_id });
}

/** `length_overall_m: 11.02` reads as `Length overall: 11.02 m`. */
function specifyKey(wording: Wording, key: string, value: unknown, assetType?: string): Specification[] {
  const [, name = key, suffix] = unitSuffix.exec(key) ?? [];
  const label = translateAttribute(attributeOf.get(name) ?? name, wording.locale, assetType) ?? nameOf(name);
  return specify(wording, name, label, value, suffix && units[suffix as keyof typeof units]);
}

function nameOf(key: string): string {
  const name = key.replaceAll(/[_.-]+/g, ' ').trim() || key;
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function specify(wording: Wording, key: string, label: string, value: unknown, unit?: string): Specification[] {
  const text = textOf(wording, key, value).trim();
  if (text === '') return [];
  return [{ label, value: unit && typeof value === 'number' ? `${text} ${unit}` : text }];
}

function textOf(wording: Wording, key: string, value: unknown): string {
  if (typeof value === 'boolean') return wording.yesNo[`${value}`];
  if (Array.isArray(value))
    return value
      .map((each) => textOf(wording, key, each))
      .filter(Boolean)
      .join(', ');
  if (typeof value === 'string') return wording.catalog.localizedValue(key, value, wording.locale);
  return typeof value === 'number' ? String(value) : '';
}
