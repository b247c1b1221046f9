import { filters, type FilterName } from '../filters.ts';

type Faceted = Extract<(typeof filters)[number], { facet: 'values' }>;

/** The columns that a facet may count the values of, by the name of their filter. */
export const facetColumns: Readonly<Record<string, string>> = Object.fromEntries(
  filters
    .filter((filter): filter is Faceted => 'facet' in filter && filter.facet === 'values')
    .map(({ name, column }) => [name, column]),
);

/** What matches are counted by: a column of listings, or one of their attributes. */
export type Facet = { name: string } & ({ column: string; filter: FilterName } | { attribute: string });
