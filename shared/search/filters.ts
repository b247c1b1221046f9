import type { Catalog } from '../catalog/tree.ts';
import { isCountry } from '../kit/codes.ts';
import { readAreaFilters, type AreaFilters, type AreaQuery } from './filters-area.ts';
import { readAttributeFilters, type AttributeFilters } from './filters-attributes.ts';

/** The filters of a search as its query names them; openapi.yaml has checked their form. */
export type FilterQuery = AreaQuery & {
  q?: string;
  category?: string;
  seller_id?: string;
  min_price?: number;
  max_price?: number;
  include_unpriced?: boolean;
  condition?: string;
  country?: string;
  city?: string;
  shipping?: boolean;
  type?: string;
  updated_since?: string;
  attr?: Record<string, string>;
};

/** The same filters, ready for SQL; what is undefined filters nothing. */
export type ListingFilters = AttributeFilters &
  AreaFilters & {
    /** Words to look for, in the syntax of web searches. */
    q?: string;
    /** The category asked for and all below it. */
    categoryIds?: readonly string[];
    sellerId?: string;
    /** `unpriced` keeps listings without a price beside those in the range. */
    price?: { min: number; max: number; unpriced: boolean };
    condition?: string;
    country?: string;
    city?: string;
    shipping?: boolean;
    type?: string;
    /** Changed then or later. */
    updatedSince?: Date;
    /** Something was asked for that no listing can have. */
    impossible: boolean;
  };

/** Below any price above 0: keeps unpriced listings, whose amount is 0, out of every range. */
const MIN_PRICE = 1e-300;

/**
 * Reads the filters of a search; what cannot be found is named in `warnings`. Attribute filters that fit no asset type, or
 * several without a category, throw a validation_error, and so does a value that is no number where one is needed.
 */
export function readFilters(query: FilterQuery, catalog: Catalog): { filters: ListingFilters; warnings: string[] } {
  const warnings: string[] = [];
  const category = query.category === undefined ? undefined : catalog.find(query.category);
  const isUnknownCategory = query.category !== undefined && category === undefined;
  if (isUnknownCategory) warnings.push(`There is no category '${query.category}'.`);
  const country = query.country?.toUpperCase();
  if (country !== undefined && !isCountry(country)) warnings.push(`There is no country '${country}'.`);

  const attributes = isUnknownCategory ? undefined : readAttributeFilters(query.attr ?? {}, category, catalog);
  warnings.push(...(attributes?.warnings ?? []));
  if (query.radius_km !== undefined && query.near === undefined)
    warnings.push('radius_km says nothing without near and was ignored.');
  const q = query.q?.trim();
  return {
    filters: {
      ...attributes?.filters,
      ...readAreaFilters(query),
      q: q === '' ? undefined : q,
      categoryIds: category && catalog.descendantIds(category.id),
      sellerId: query.seller_id,
      price: readPrice(query),
      condition: query.condition,
      country,
      city: query.city?.trim(),
      shipping: query.shipping,
      type: query.type,
      updatedSince: query.updated_since === undefined ? undefined : new Date(query.updated_since),
      impossible: isUnknownCategory || (query.min_price ?? 0) > (query.max_price ?? Number.POSITIVE_INFINITY),
    },
    warnings,
  };
}

function readPrice({
  min_price: min,
  max_price: max,
  include_unpriced: unpriced,
}: FilterQuery): ListingFilters['price'] {
  if (min === undefined && max === undefined) return undefined;
  return { min: Math.max(min ?? 0, MIN_PRICE), max: max ?? Number.POSITIVE_INFINITY, unpriced: unpriced === true };
}
