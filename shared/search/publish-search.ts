import type { SearchPool } from './search-pool.ts';
import type { ListingFilters } from './filters.ts';
import { fitsFilters, inScope } from './postgres/conditions.ts';
import { parseQuery } from './query/parse-query.ts';
import { createParameters, type Search } from './postgres/statement.ts';

/** Which listings are looked at: by filters, in some statuses, of one seller or of everybody, among some ids or all. */
export type PublishSearch = {
  filters: ListingFilters;
  statuses: readonly string[];
  sellerId: string | undefined;
  among: readonly string[] | undefined;
};

/**
 * Ids and slugs of all listings that match, in the order of their ids, as the search of GET /api/listings understands its filters:
 * words in all the ways they may be said. A listing has all that is asked for; nothing is guessed from mistyped words.
 */
export async function findPublishable(
  pool: SearchPool,
  { filters, statuses, sellerId, among }: PublishSearch,
  now: Date,
): Promise<{ id: string; slug: string }[]> {
  if (filters.impossible) return [];
  const scope = sellerId === undefined ? { everyone: statuses } : { everyone: [], own: { sellerId, statuses } };
  const search: Search = { filters, scope, sort: 'oldest', seed: '', offset: 0, limit: 0, locale: '', now };
  const parameter = createParameters();
  const ids = `${parameter('among', among ?? null)}::text[]`;
  const question = filters.q === undefined ? undefined : await parseQuery(pool, filters.q);
  const words = `${parameter('words', question?.query ?? null)}::tsquery`;
  const conditions = [
    inScope(search, parameter),
    fitsFilters(filters, parameter),
    `(${ids} is null or l.id = any(${ids}) or l.slug = any(${ids}))`,
    `(${words} is null or exists (select from listing_search s where s.listing_id = l.id and searchable(s.words) @@ ${words}))`,
  ];
  const { rows } = await pool.query<{ id: string; slug: string }>({
    text: `select l.id, l.slug from listings l where ${conditions.join(' and ')} order by l.id`,
    values: parameter.values,
  });
  return rows;
}
