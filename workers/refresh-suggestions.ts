import type { JobHandler } from '../shared/queues/runner.ts';
import { refreshSuggestions } from '../shared/search/suggest/refresh.ts';
import type { WorkerServices } from './services.ts';

/** Brings what is kept ready for crowded beginnings of titles and searches up to date; stops when told to, between two pages. */
export const refreshSuggestionHeads: JobHandler<WorkerServices, 'refresh-suggestions'> = async (
  { db },
  _payload,
  { signal },
) => ({
  titles: await refreshSuggestions(db, 'titles', () => signal.throwIfAborted()),
  terms: await refreshSuggestions(db, 'terms', () => signal.throwIfAborted()),
});
