import type { Catalog } from '../../shared/catalog/tree.ts';
import type { Listing } from './present.ts';

/** One fact as a reader sees it: its label, and its value with the unit behind it. */
export type Specification = { label: string; value: string };

const units = { m: 'm', m2: 'm²', kg: 'kg', l: 'l', hp: 'hp', kw: 'kW', kn: 'kn', ah: 'Ah', v: 'V', w: 'W' };
const unitSuffix = new RegExp(`^(.+)_(${Object.keys(units).join('|')})$`);

/**
 * The facts of a listing: its attributes in the order and with the labels and units of the asset type, then what the asset
 * type does not know, then the groups of the boat's specification. Empty values are left out.
 */
export function readSpecifications(
  { attributes = {}, boat, category }: Pick<Listing, 'attributes' | 'boat' | 'category'>,
  catalog: Catalog,
): Specification[] {
  const definitions = catalog.assetTypeOf(category.id)?.attributes ?? [];
  const known = new Set(definitions.map(({ key }) => key));
  const others = Object.entries(attributes).filter(([key]) => !known.has(key));
  return [
    ...definitions.flatMap(({ key, label, unit }) => specify(label, attributes[key], unit)),
    ...others.flatMap(([key, value]) => specifyKey(key, value)),
    ...Object.values(boat?.specs ?? {}).flatMap((group) =>
      Object.entries(group).flatMap(([key, value]) => specifyKey(key, value)),
    ),
  ];
}

/** `length_overall_m: 11.02` reads as `Length overall: 11.02 m`. */
function specifyKey(key: string, value: unknown): Specification[] {
  const [, name = key, suffix] = unitSuffix.exec(key) ?? [];
  const label = name.replaceAll(/[_.-]+/g, ' ').trim();
  return specify(label.charAt(0).toUpperCase() + label.slice(1), value, suffix && units[suffix as keyof typeof units]);
}

function specify(label: string, value: unknown, unit?: string): Specification[] {
  const text = textOf(value);
  if (text === '') return [];
  return [{ label, value: unit && typeof value === 'number' ? `${text} ${unit}` : text }];
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
