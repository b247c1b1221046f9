import type { Catalog } from '../../shared/catalog/tree.ts';
import type { AttributeDefinition } from '../../shared/profiles/profile.ts';
import type { Performed } from '../http/perform.ts';
import { firstOf, toOperationQuery, type SearchQuery } from './search-query.ts';
import type { Visit } from './visit.ts';

/** What every listing has, as filters with few values. */
export const CHOICES = ['category', 'condition', 'country', 'type'] as const;
const MAX_FACETS = 10;
/** Of the attributes, so many ranges are counted together with what every listing has; the others follow with a category. */
const FIRST_RANGES = 2;

type Found = Performed<'searchListings'>['body'];
export type FacetList = { value: string; count: number; label?: string }[];
export type FacetBounds = { min: number | null; max: number | null };
/** The counts of a search by the name of their facet, and the attributes that it can be filtered by. */
export type SearchFacets = {
  counts: Record<string, FacetList | FacetBounds>;
  attributes: readonly AttributeDefinition[];
};

/**
 * The attributes that a search is filtered by: of the template of the categories that were chosen if it is one, and else of the
 * template that most categories of the marketplace have. Models come with a brand.
 */
export function attributesOf(query: SearchQuery, catalog: Catalog): AttributeDefinition[] {
  const chosen = new Set((query.get('category') ?? []).map((id) => catalog.assetTypeOf(id)));
  const usual = catalog.assetTypes().find(({ categoryIds }) => categoryIds.length * 2 > catalog.flat().length);
  const template = chosen.size === 0 ? usual : chosen.size === 1 ? [...chosen][0] : undefined;
  return (template?.attributes ?? []).filter(
    ({ filterable, key }) => filterable && (key !== 'model' || query.has('attr[brand]')),
  );
}

/** Searches with counts of the filters; with a category also of the attributes that one search cannot count. */
export async function searchWithFacets(
  visit: Visit,
  query: SearchQuery,
  parameters: Record<string, unknown>,
): Promise<Performed<'searchListings'> & { facets: SearchFacets }> {
  const attributes = attributesOf(query, visit.services.catalog);
  const ranges = attributes.filter(({ filterType }) => filterType === 'range');
  const others = attributes.filter(({ filterType }) => filterType !== 'range');
  const ordered = [
    ...others.slice(0, 1),
    ...ranges.slice(0, FIRST_RANGES),
    ...others.slice(1),
    ...ranges.slice(FIRST_RANGES),
  ];
  const names = [...CHOICES, 'price', ...ordered.map(({ key }) => `attr.${key}`)];
  const hasCategory = firstOf(query, 'category') !== '';
  const search = async (facets: string[], options: Record<string, unknown>) =>
    visit.perform('searchListings', {
      query: { ...toOperationQuery(query), ...options, facets: facets.join(',') },
    });
  const [found, more] = await Promise.all([
    search(names.slice(0, hasCategory ? MAX_FACETS : MAX_FACETS - 2), parameters),
    hasCategory && names.length > MAX_FACETS
      ? search(names.slice(MAX_FACETS, 2 * MAX_FACETS), { limit: '1', page: '1' })
      : undefined,
  ]);
  return {
    ...found,
    facets: { counts: { ...facetsOf(found.body), ...(more && facetsOf(more.body)) }, attributes: ordered },
  };
}

const facetsOf = ({ facets = {} }: Found) => facets as Record<string, FacetList | FacetBounds>;
