/** The columns that a facet may count. */
export const facetColumns = {
  category: 'category_id',
  condition: 'condition',
  country: 'country',
  type: 'type',
  shipping: 'shipping',
} as const;

type Column = (typeof facetColumns)[keyof typeof facetColumns];

/** What matches are counted by: a column of listings, or one of their attributes. */
export type Facet = { name: string } & ({ column: Column } | { attribute: string });
