import type { Catalog } from '../../catalog/tree.ts';
import { invalid } from '../../kit/errors.ts';
import { filters as table, type Filter, type FilterName, type ListingFilters } from '../filters.ts';
import { assetTypesOf, kindsOf, withoutAttribute } from '../filters-attributes.ts';
import { splitList, type ValueList } from '../value-list.ts';
import type { Search } from './statement.ts';

/** What matches are counted by: a column of listings or one of their attributes, by its values or by buckets of its numbers. */
export type Facet = { name: string; isNumber: boolean } & (
  | { column: string; filter: FilterName }
  | { attribute: string }
);

export type FacetValue = { value: string; count: number };

const MAX_FACETS = 20;

/** The facets over columns; year and length are attributes to those who ask. */
const facets: Facet[] = (table as readonly Filter[]).flatMap(({ name, kind, column, facet }) =>
  facet === undefined
    ? []
    : [
        {
          name: kind === 'range' ? `attr.${name}` : name,
          isNumber: facet === 'buckets',
          column,
          filter: name as FilterName,
        },
      ],
);

/** Reads `facets=…`; a facet that there is not, or more than twenty of them, throws a validation_error. */
export function readFacets(names: string | undefined, category: ValueList | undefined, catalog: Catalog): Facet[] {
  const asked = names === undefined ? [] : [...new Set(names.split(','))];
  if (asked.length > MAX_FACETS) throw refuse(`must be at most ${MAX_FACETS}`);
  return asked.map((name) => {
    const [, attribute] = /^attr\.(.+)$/s.exec(name) ?? [];
    const kinds = attribute === undefined ? undefined : attributeKinds(attribute, category, catalog);
    if (kinds?.size === 0) throw refuse(`has no '${name}': no such attribute can be filtered by`);
    const known = facets.find((facet) => facet.name === name);
    if (known) return known;
    if (attribute === undefined)
      throw refuse(`has no '${name}'; there are ${facets.map((facet) => facet.name).join(', ')}, attr.…`);
    return { name, attribute, isNumber: kinds?.has('number') === true };
  });
}

function attributeKinds(key: string, names: ValueList | undefined, catalog: Catalog) {
  const categories = (splitList(names) ?? []).flatMap((name) => catalog.find(name) ?? []);
  return kindsOf(key, categories.length > 0 ? assetTypesOf(categories, catalog) : catalog.assetTypes());
}

const refuse = (message: string) => invalid('The facets are not valid.', [{ path: '/query/facets', message }]);

/** Whether a facet narrows the search itself. */
export const hasOwnFilter = (filters: ListingFilters, facet: Facet) =>
  'attribute' in facet
    ? (filters.attributes ?? []).some(({ key }) => key === facet.attribute)
    : filters[facet.filter] !== undefined;

/** The search without what a facet narrows. */
export function withoutOwnFilter(search: Search, facet: Facet): Search {
  const { filters } = search;
  const own =
    'attribute' in facet
      ? { attributes: withoutAttribute(filters.attributes, facet.attribute) }
      : { [facet.filter]: undefined };
  return { ...search, filters: { ...filters, ...own } };
}
