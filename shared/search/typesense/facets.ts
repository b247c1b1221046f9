import type { FacetCounts } from '../postgres/facets.ts';
import { hasOwnFilter, withoutOwnFilter, type Facet, type FacetValue } from '../postgres/facet.ts';
import type { Search } from '../search.ts';
import type { FacetAnswer } from './answers.ts';
import type { FilterContext } from './filters.ts';
import type { SearchParameters } from './parameters.ts';
import { attributeField } from './schema.ts';
import { matchParameters } from './search-parameters.ts';

/** More than an answer shows: spellings of one value are put together here, and ties put in order. */
const MAX_VALUES = 250;

const fieldOf = (facet: Facet) => ('attribute' in facet ? attributeField(facet.attribute) : facet.column);

/**
 * The searches that count matches by facets, each without its own filter, wherever a page begins; and which facets each of them
 * answers.
 */
export function facetSearches(
  search: Search,
  facets: readonly Facet[],
  collection: string,
  context: FilterContext,
): { searches: SearchParameters[]; names: Map<string, string>[] } {
  const whole = { ...search, after: undefined };
  const free = facets.filter((facet) => !hasOwnFilter(search.filters, facet));
  const bound = facets.filter((facet) => hasOwnFilter(search.filters, facet));
  const groups = [
    ...(free.length > 0 ? [{ search: whole, facets: free }] : []),
    ...bound.map((facet) => ({ search: withoutOwnFilter(whole, facet), facets: [facet] })),
  ];
  return {
    searches: groups.map((group) => ({
      ...matchParameters(group.search, collection, context),
      facet_by: group.facets.map(fieldOf).join(','),
      // Else only the first values are counted exactly.
      facet_strategy: 'exhaustive',
      max_facet_values: MAX_VALUES,
      per_page: 0,
    })),
    names: groups.map((group) => new Map(group.facets.map((facet) => [fieldOf(facet), facet.name]))),
  };
}

/** What those searches have answered: values by frequency, at most `limit`, of which attributes have one per spelling. */
export function readFacetCounts(
  names: readonly Map<string, string>[],
  answers: readonly { facet_counts: FacetAnswer[] }[],
  limit: number,
): FacetCounts {
  const values = new Map<string, FacetValue[]>();
  for (const [index, { facet_counts: counted }] of answers.entries()) {
    for (const { field_name: field, counts } of counted) {
      const name = names[index]?.get(field);
      if (name === undefined) continue;
      const found = field.startsWith('attr_') ? foldSpellings(counts) : counts;
      const plain = found.map(({ value, count }) => ({ value: String(value), count }));
      values.set(name, plain.toSorted(byCount).slice(0, limit));
    }
  }
  return { values, histograms: new Map(), approximate: [] };
}

const byCount = (a: FacetValue, b: FacetValue) => b.count - a.count || (a.value < b.value ? -1 : 1);

/** One value for all that differ in letter case alone, in the spelling that most have. */
function foldSpellings(counts: readonly FacetValue[]): FacetValue[] {
  const folded = new Map<string, FacetValue>();
  for (const { value, count } of counts.toSorted(byCount)) {
    const key = String(value).toLowerCase();
    const most = folded.get(key);
    folded.set(key, most ? { ...most, count: most.count + count } : { value: String(value), count });
  }
  return [...folded.values()];
}
