export type FacetList = { value: string; count: number; label?: string }[];
export type FacetBounds = { min: number | null; max: number | null };
/** The counts of a search by the name of their facet. */
export type FacetCounts = Record<string, FacetList | FacetBounds>;
