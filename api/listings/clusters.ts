import { invalid } from '../../shared/kit/errors.ts';
import { MAX_FEATURES } from '../../shared/search/clusters/cluster-indexes.ts';
import { pointsOf } from '../../shared/search/clusters/read-points.ts';
import { readFilters } from '../../shared/search/filters.ts';
import { readAreaFilters } from '../../shared/search/filters-area.ts';
import { searchListings, type Search } from '../../shared/search/search.ts';
import type { Request } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import type { Services } from '../services.ts';
import { scopeOf } from './visibility.ts';

const NOTHING = '{"type":"FeatureCollection","features":[]}';

/** The matches of a search in a part of the map, clustered by supercluster. */
export const getListingClusters: Handler<'getListingClusters'> = async (services, request) => {
  const { bbox, zoom } = request.query;
  const { bbox: box } = readAreaFilters({ bbox });
  const search = await readSearch(services, request);
  const answer = (text: string) => ({ status: 200 as const, body: { text, type: 'application/json' } });
  if (search.filters.impossible || !box) return answer(NOTHING);
  const { features, isStale } = await services.clusters.getClusters(pointsOf(search), box, zoom);
  if (features === undefined)
    throw invalid('There is too much in this box at this zoom.', [
      { path: '/query/bbox', message: `must hold at most ${MAX_FEATURES} clusters and points; make it smaller` },
    ]);
  return { ...answer(`{"type":"FeatureCollection","features":${features}}`), isFleeting: isStale };
};

/** The search whose matches are clustered: all of them, wherever they are; mistyped words are looked for as corrected. */
async function readSearch(services: Services, request: Request<'getListingClusters'>): Promise<Search> {
  const { pool, catalog, profile, clock } = services;
  const { bbox: _, zoom: _zoom, status = 'active', ...query } = request.query;
  const rates = query.currency === undefined ? undefined : await services.rates.read();
  const { filters } = readFilters(query, catalog, rates);
  const search: Search = {
    filters,
    scope: scopeOf(status, request.caller, profile),
    sort: 'newest',
    seed: '',
    offset: 0,
    limit: 1,
    locale: request.locale,
    now: clock.now(),
  };
  if (filters.q === undefined) return search;
  const { effectiveQuery } = await searchListings(pool, search);
  return { ...search, corrected: effectiveQuery };
}
