import type { FacetCounts } from './postgres/facets.ts';
import type { Facet } from './postgres/facet.ts';
import type { SearchResult, Search } from './search.ts';
import type { Suggestions, SuggestRequest } from './suggest/suggest.ts';

export type EngineName = 'postgres' | 'typesense';

/** A page that is asked for, with what its matches are counted by, and who reads it. */
export type PageRequest = {
  search: Search;
  facets: readonly Facet[];
  facetLimit: number;
  readerId: string | undefined;
};

/** A page of listings as they are now; `counts` when facets were asked for. */
export type FoundPage = SearchResult & { counts: FacetCounts | undefined };

/** The contract of a search: the same filters, orders, facets, totals and cursors, whoever answers. */
export type SearchEngine = {
  findPage(wish: PageRequest): Promise<FoundPage>;
  suggest(wish: SuggestRequest): Promise<Suggestions>;
};

/** Who has answered; `isFleeting` when a change was on its way to the index meanwhile, so that the answer is not to be kept. */
export type Answered<Answer> = Answer & { engine: EngineName; isFleeting: boolean };

/** What handlers ask: some engine answers. */
export type Searcher = {
  findPage(wish: PageRequest): Promise<Answered<FoundPage>>;
  suggest(wish: SuggestRequest): Promise<Answered<Suggestions>>;
  close(): Promise<void>;
};
