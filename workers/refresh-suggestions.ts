import type { JobHandler } from '../shared/queues/runner.ts';
import { refreshSuggestions } from '../shared/search/suggest/refresh.ts';
import { writeTerms } from '../shared/search/typesense/terms.ts';
import type { WorkerServices } from './services.ts';

/**
 * Brings what is kept ready for frequent prefixes of titles and searches up to date, and the frequent queries of the search
 * index; stops when told to, between two pages.
 */
export const refreshSuggestionHeads: JobHandler<WorkerServices, 'refresh-suggestions'> = async (
  { db, pool, clock, searchIndex },
  _payload,
  { signal },
) => ({
  titles: await refreshSuggestions(db, 'titles', () => signal.throwIfAborted()),
  terms: await refreshSuggestions(db, 'terms', () => signal.throwIfAborted()),
  ...(searchIndex && { indexed_terms: await writeTerms(pool, searchIndex, clock.now()) }),
});
