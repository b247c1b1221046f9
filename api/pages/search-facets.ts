import type { Catalog } from '../../shared/catalog/tree.ts';
import type { AttributeDefinition, Locale } from '../../shared/profiles/profile.ts';
import type { Performed } from '../http/perform.ts';
import type { FacetCounts } from './facet-counts.ts';
import { toOperationQuery, type SearchQuery } from './search-query.ts';
import type { Visit } from './visit.ts';

/** What every listing has, as filters with few values. */
export const CHOICES = ['category', 'condition', 'country', 'type'] as const;
const MAX_FACETS = 20;
/** So many are counted of all listings. */
const FIRST_FACETS = 8;
/** Of the attributes, so many ranges stand before the second choice. */
const FIRST_RANGES = 2;

/** The counts of a search, and the attributes that it can be filtered by. */
export type SearchFacets = {
  counts: FacetCounts;
  attributes: readonly AttributeDefinition[];
};

/**
 * The attributes that a search is filtered by: of the template of the categories that were chosen if it is one, and else of the
 * template that most categories of the marketplace have. Models come with a brand.
 */
export function attributesOf(query: SearchQuery, catalog: Catalog, locale: Locale): AttributeDefinition[] {
  const chosen = new Set((query.get('category') ?? []).map((id) => catalog.assetTypeOf(id)));
  const usual = catalog.assetTypes().find(({ categoryIds }) => categoryIds.length * 2 > catalog.flat().length);
  const template = chosen.size === 0 ? usual : chosen.size === 1 ? [...chosen][0] : undefined;
  return (template ? catalog.localizedAssetType(template, locale).attributes : []).filter(
    ({ filterable, key }) => filterable && (key !== 'model' || query.has('attr[brand]')),
  );
}

/**
 * Searches with counts of the filters; with a category also of the attributes that no search without one could count soon. Pages and
 * orders of one search share their counts, until a listing changes.
 */
export async function searchWithFacets(
  visit: Visit,
  query: SearchQuery,
  parameters: Record<string, unknown>,
): Promise<Performed<'searchListings'> & { facets: SearchFacets }> {
  const { services, locale } = visit;
  const attributes = attributesOf(query, services.catalog, locale);
  const ranges = attributes.filter(({ filterType }) => filterType === 'range');
  const others = attributes.filter(({ filterType }) => filterType !== 'range');
  const ordered = [
    ...others.slice(0, 1),
    ...ranges.slice(0, FIRST_RANGES),
    ...others.slice(1),
    ...ranges.slice(FIRST_RANGES),
  ];
  const names = [...CHOICES, 'price', ...ordered.map(({ key }) => `attr.${key}`)];
  const facets = names.slice(0, query.has('category') ? MAX_FACETS : FIRST_FACETS).join(',');
  const asked = toOperationQuery(query);
  const { page: _, sort: _sort, ...filters } = asked;
  const version = services.cache.generation();
  const key = JSON.stringify([version, locale, facets, filters]);
  const known = services.pageCaches.facets.get(key);
  const found = await visit.perform('searchListings', {
    query: { ...asked, ...parameters, ...(known === undefined && { facets }) },
  });
  const counts = known ?? found.body.facets ?? {};
  services.pageCaches.facets.set(key, counts);
  return { ...found, facets: { counts, attributes: ordered } };
}
