import type { Pool } from 'pg';
import type { Corpus, SearchPool } from '../search-pool.ts';

/**
 * A term of a query: as typed, and its tsquery with synonyms. `typedOnly` is the tsquery without them, `uses` its document
 * frequency. An optional term ranks but is not required.
 */
export type QueryTerm = { typed: string; query: string; typedOnly?: string; uses?: number; isOptional?: boolean };

/** Document frequencies of words among active listings, with the number of listings and their average lengths. */
export type DocumentFrequencies = { counts: number[]; listings: number; lengths: AverageLengths };

/** The average number of different words in a title and in all other text. */
export type AverageLengths = { title: number; text: number };

/** Document frequencies are counted up to here: a more frequent word hardly tells listings apart. */
const MAX_COUNTED = 20_000;

/**
 * Reads document frequencies of tsqueries: of common words from the planner's statistics (most_common_elems, renewed by
 * ANALYZE), of others by counting. Cached for a minute per process, except for words without a match.
 */
export async function readDocumentFrequencies(
  pool: SearchPool,
  queries: readonly string[],
): Promise<DocumentFrequencies> {
  const { uses } = pool.words;
  const { listings, lengths, common } = await (pool.words.corpus.get('active') ?? cacheCorpus(pool));
  const known = (query: string) => uses.get(query) ?? common.get(query);
  const unknown = [...new Set(queries)].filter((query) => known(query) === undefined);
  const counted = new Map(unknown.length === 0 ? [] : await count(pool, unknown));
  for (const [query, n] of counted) if (n > 0) uses.set(query, n);
  return { counts: queries.map((query) => known(query) ?? counted.get(query) ?? 0), listings, lengths };
}

/**
 * Estimates how many active listings match all words by exponential backoff, as words of one name come together: the rarest
 * counts in full, the next by its square root, and so on. 0 unless the planner's statistics know each as common.
 */
export async function estimateMatches(pool: SearchPool, words: readonly QueryTerm[]): Promise<number> {
  const needed = words.filter(({ isOptional }) => !isOptional);
  const { listings, common } = await (pool.words.corpus.get('active') ?? cacheCorpus(pool));
  if (needed.length === 0 || common.size === 0) return 0;
  const shares = needed.map(({ query, uses }) => Math.min(1, (uses ?? common.get(query) ?? 0) / listings));
  return listings * shares.toSorted((a, b) => a - b).reduce((all, share, rank) => all * share ** (1 / 2 ** rank), 1);
}

/** Requests that come meanwhile wait for the same answer; a failure is not cached. */
function cacheCorpus(pool: SearchPool): Promise<Corpus> {
  const known = readCorpus(pool);
  pool.words.corpus.set('active', known);
  known.catch(() => pool.words.corpus.delete('active'));
  return known;
}

async function readCorpus(pool: Pool): Promise<Corpus> {
  const { rows } = await pool.query<{
    listings: number;
    title: number | null;
    text: number | null;
    words: string[] | null;
    shares: number[] | null;
  }>({
    name: 'words-corpus',
    text: `select counted.n as listings, middling.title, middling.text, common.words, common.shares
      from (select coalesce(sum(n), 0)::int as n from (
          select n from listing_counts where status = 'active' union all select n from listing_count_deltas where status = 'active') as c) as counted
      cross join (select avg(length(title))::float8 as title, avg(length(words) - length(title))::float8 as text
          from (select title, words from listing_search where status = 'active' limit 500) as first) as middling
      left join (select array(select quote_literal(word) from unnest(most_common_elems::text::text[]) as word) as words, most_common_elem_freqs as shares
          from pg_stats where schemaname = current_schema() and tablename = 'listing_search_words') as common on true`,
  });
  const { listings = 0, title, text, words, shares } = rows[0] ?? {};
  const common = (words ?? []).map((word, index): [string, number] => [
    word,
    Math.round((shares?.[index] ?? 0) * listings),
  ]);
  return {
    listings,
    lengths: { title: Math.max(1, title ?? 1), text: Math.max(1, text ?? 1) },
    // Few listings are counted: the statistics may be of a time when there were others.
    common: new Map(listings < MAX_COUNTED ? [] : common.filter(([, n]) => n >= MAX_COUNTED / 10)),
  };
}

async function count(pool: Pool, queries: string[]): Promise<[string, number][]> {
  const { rows } = await pool.query<{ query: string; n: number }>({
    name: 'words-count',
    text: `select asked.query, (select count(*)::int from (
        select from listing_search s where searchable(s.words) @@ asked.query::tsquery and s.status = 'active' limit ${MAX_COUNTED}) as found) as n
      from unnest($1::text[]) as asked (query)`,
    values: [queries],
  });
  return rows.map(({ query, n }) => [query, n]);
}
