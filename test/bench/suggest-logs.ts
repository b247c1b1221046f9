import type { Pool } from 'pg';
import { createSearchTerms } from '../../api/counting/search-terms.ts';
import { createLogger } from '../../shared/kit/log.ts';
import { readFiles } from './relevance-data.ts';
import { hashOf } from './relevance-measures.ts';

/** A search, and how often it was made. */
export type CountedSearch = { query: string; times: number };
export type QueryLog = { name: string; searches: CountedSearch[] };

/** What one network counts for on one day. */
const PER_NETWORK = 5;
const MAX_WAITING = 4_000;

/** Counts searches the way the API does, each of a network of its own for every few. */
export async function recordSearches(pool: Pool, searches: readonly CountedSearch[]): Promise<void> {
  const clock = { now: () => new Date() };
  const terms = createSearchTerms(pool, clock, createLogger('bench', 'silent'));
  for (const [index, { query, times }] of searches.entries()) {
    for (let time = 0; time < times; time += 1)
      terms.record({ q: query, results: 1, hasFailed: false, ms: 1 }, `network ${Math.floor(time / PER_NETWORK)}`, '');
    if (index % MAX_WAITING === MAX_WAITING - 1) await terms.flush();
  }
  await terms.flush();
}

/** Query logs, none where the data is absent; where only what was asked is known, the frequencies follow Zipf's law over the order of a hash. */
export function readLogs(): QueryLog[] {
  const [electronics, fashion, homeDepot] = readFiles(
    'search-query-suggestions/electronics_query_popularity.csv',
    'search-query-suggestions/fashion_query_popularity.csv',
    'search-homedepot/qrels.dev.csv.gz',
  );
  const counted = (name: string, rows: Record<string, string>[] | undefined, scale: number): QueryLog[] =>
    rows
      ? [{ name, searches: merge(rows.map(({ query = '', popularity }) => [query, scale * Number(popularity)])) }]
      : [];
  const different = [...new Set(homeDepot?.map(({ query = '' }) => query))];
  const ranked = different.toSorted((a, b) => hashOf(a) - hashOf(b));
  const zipf = ranked.map((query, rank): [string, number] => [query, Math.round(3_000 / (rank + 1) ** 0.8)]);
  return [
    ...counted('electronics', electronics, 6),
    ...counted('fashion', fashion, 20),
    ...(homeDepot ? [{ name: 'home depot', searches: merge(zipf) }] : []),
  ];
}

/** Searches as they are counted: letter case and blanks do not matter. */
function merge(pairs: readonly (readonly [string, number])[]): CountedSearch[] {
  const times = new Map<string, number>();
  for (const [query, n] of pairs) {
    const text = query.trim().replaceAll(/\s+/g, ' ').toLowerCase();
    if (text.length >= 2 && text.length <= 60) times.set(text, (times.get(text) ?? 0) + n);
  }
  return [...times].map(([query, n]) => ({ query, times: n })).filter(({ times: n }) => n > 0);
}
