import type { Searcher } from '../shared/search/engine.ts';
import type { Searched, SearchTerms } from './counting/search-terms.ts';
import type { ViewCounter } from './counting/views.ts';

/** What an answer does beside being sent; its handler declares it, and nobody reads it out of a body. */
export type Effects = {
  /** The listing that this answer counts as a view of. */
  viewed?: string | undefined;
  /** The searches that this answer counts as. */
  searched?: Searched | readonly Searched[] | undefined;
  /** The listings and rentals that were changed: cached answers that show them, or lists of their kind, are dropped. */
  changed?: Changed;
};

/** The ids of what was changed by kind; `all` where the change is too wide to name them. */
export type Changed = Partial<Record<keyof typeof cacheTags, readonly string[] | 'all'>>;

/** The cache tags (`x-cache` of openapi.yaml) of answers that show things of a kind: in lists and counts, and one by one. */
export const cacheTags = {
  listings: { collections: ['listings', 'categories'], detail: 'listing' },
  rentals: { collections: ['rentals'], detail: 'rental' },
};

/** Who is answered, and how: from the cache, or with the headers alone. */
export type Reader = {
  caller: { userId: string } | undefined;
  network: string;
  userAgent: string;
  isHead: boolean;
  isCacheHit: boolean;
};

/**
 * Applies the effects of an answer: views and searches are counted, also those answered from the cache, and whoever changes a
 * thing finds the change at once in this process; every other one learns of it from the journal.
 */
export function createEffects({
  cache,
  searcher,
  views,
  searchTerms,
}: Counted): (effects: Effects, reader: Reader) => void {
  return ({ viewed, searched, changed }, { caller, network, userAgent, isHead, isCacheHit }) => {
    if (changed) cache.invalidate(changed);
    if (changed?.listings && caller) searcher.noteChanges([caller.userId]);
    // Asking for the headers alone is no view.
    if (viewed !== undefined && !isHead) views.record(viewed, caller ?? { network, userAgent });
    // Whoever is answered from the cache does not wait for the search.
    for (const each of [searched ?? []].flat())
      searchTerms.record(isCacheHit ? { ...each, ms: undefined } : each, network, userAgent);
  };
}

type Counted = {
  cache: { invalidate(changed: Changed): void };
  searcher: Pick<Searcher, 'noteChanges'>;
  views: ViewCounter;
  searchTerms: SearchTerms;
};

export type ApplyEffects = ReturnType<typeof createEffects>;
