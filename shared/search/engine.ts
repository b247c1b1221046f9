import type { FacetCounts } from './postgres/facets.ts';
import type { Facet } from './postgres/facet.ts';
import type { SearchResult, Search } from './search.ts';
import type { Suggestions, SuggestRequest } from './suggest/suggest.ts';

export type EngineName = 'postgres' | 'typesense';

/** A search request: the page, the facets to count, and who reads. */
export type PageRequest = {
  search: Search;
  facets: readonly Facet[];
  facetLimit: number;
  readerId: string | undefined;
};

/** A page: the ids of listings, and `facets` when they were asked for. */
export type FoundPage = SearchResult & { facets: FacetCounts | undefined };

/** The contract of a search: the same filters, orders, facets, totals and cursors, whoever answers. */
export type SearchEngine = {
  findPage(wish: PageRequest): Promise<FoundPage>;
  suggest(wish: SuggestRequest): Promise<Suggestions>;
};

/**
 * The answer with the engine that gave it; `isFleeting` when an index update was pending meanwhile, so that it must not be
 * cached.
 */
export type Answered<Answer> = Answer & { engine: EngineName; isFleeting: boolean };

/** What handlers call: picks the engine. */
export type Searcher = {
  findPage(wish: PageRequest): Promise<Answered<FoundPage>>;
  suggest(wish: SuggestRequest): Promise<Answered<Suggestions>>;
  close(): Promise<void>;
};
