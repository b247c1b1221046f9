import { invalid } from '../../shared/kit/errors.ts';
import type { ListingItem } from './present.ts';

/** Every field that a result of a search may have. */
const known: Record<keyof ListingItem, true> = {
  id: true,
  slug: true,
  title: true,
  description: true,
  category: true,
  condition: true,
  type: true,
  price: true,
  location: true,
  images: true,
  attributes: true,
  seller: true,
  status: true,
  created_at: true,
  updated_at: true,
  expires_at: true,
  views: true,
  tags: true,
  meta: true,
  premium: true,
  distance_km: true,
  highlight: true,
};

export type Field = keyof ListingItem;

/** The fields named, `id` first; undefined when none are, which means all. An unknown one throws a validation_error. */
export function readFields(names: string | undefined): ReadonlySet<Field> | undefined {
  if (names === undefined) return undefined;
  const asked = names.split(',');
  const unknown = asked.filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) {
    const message = `has no ${unknown.map((name) => `'${name}'`).join(', ')}; results have ${Object.keys(known).join(', ')}`;
    throw invalid('The fields asked for are not valid.', [{ path: '/query/fields', message }]);
  }
  return new Set<Field>(['id', ...(asked as Field[])]);
}

/** A result with no more than these fields, in the order that all results have. */
export function trim(result: ListingItem, fields: ReadonlySet<Field>): { id: string; [field: string]: unknown } {
  return { id: result.id, ...Object.fromEntries(Object.entries(result).filter(([name]) => fields.has(name as Field))) };
}
