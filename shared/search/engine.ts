import type { CardRow } from '../listings/card.ts';
import type { FacetCounts } from './postgres/facets.ts';
import type { Facet } from './postgres/facet.ts';
import type { Highlight } from './highlight.ts';
import type { SearchResult, Search } from './search.ts';
import type { SearchPool } from './search-pool.ts';
import type { Suggestions, SuggestRequest } from './suggest/suggest.ts';

export type EngineName = 'postgres' | 'typesense';

/** A search request: the page, the facets to count, and who reads. */
export type PageRequest = {
  search: Search;
  facets: readonly Facet[];
  facetLimit: number;
  readerId: string | undefined;
  /** Whether the ranking is to be explained, which PostgreSQL alone can. */
  explain?: boolean;
};

/** A page: the ids of listings, and `facets` when they were asked for; `cards` and `highlights` by id where the engine has read them. */
export type FoundPage = SearchResult & {
  facets: FacetCounts | undefined;
  cards?: readonly CardRow[];
  highlights?: ReadonlyMap<string, Highlight>;
};

/** The contract of a search: the same filters, column orders, facets and totals, whoever answers; the order of relevance is its own. */
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
  suggest(wish: SuggestRequest & { readerId: string | undefined }): Promise<Answered<Suggestions>>;
  /** The same search with another server of the database for what PostgreSQL answers. */
  on(pool: SearchPool): Searcher;
  /** These users have just changed listings: they get what they have written. */
  noteChanges(userIds: readonly string[]): void;
  /** Changes may have been missed. */
  noteGap(): void;
  /** Whether an index is configured that cannot be asked at this moment, and why. */
  findTrouble(): Promise<string | undefined>;
  close(): Promise<void>;
};
