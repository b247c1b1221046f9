import type { SavedSearch as Row } from '../../shared/saved-searches/save.ts';
import type { Result } from '../http/types.ts';

type SavedSearch = Result<'listSavedSearches', 200>['results'][number];

/** SavedSearchResponse of openapi.yaml. */
export function presentSavedSearch(row: Row): SavedSearch {
  return {
    id: row.id,
    name: row.name,
    query_params: row.query_params as SavedSearch['query_params'],
    notify: row.notify as SavedSearch['notify'],
    created_at: row.created_at.toISOString(),
  };
}
