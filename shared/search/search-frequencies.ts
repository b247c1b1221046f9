import type { Pool } from 'pg';
import type { Corpus, SearchPool } from './search-pool.ts';
import type { Word } from './question-word.ts';

/** How often words are used: the active listings with each of them, how many listings there are, and how long they are. */
export type Frequencies = { counts: number[]; listings: number; lengths: Lengths };

/** Different words in a title, and in all other text, of a listing of middling length. */
export type Lengths = { title: number; text: number };

/** More matches than so many are not counted one by one: such a word hardly tells one listing from another. */
const MOST_COUNTED = 20_000;

/**
 * Counts the active listings that match each of some tsqueries. Common words are told by the planner's statistics of the index
 * of words, which ANALYZE renews as listings come and go; others are counted. What is known holds for a minute in this process,
 * but for words without a listing, which the next one may use.
 */
export async function countUses(pool: SearchPool, queries: readonly string[]): Promise<Frequencies> {
  const { uses } = pool.words;
  const { listings, lengths, common } = await (pool.words.corpus.get('active') ?? cacheCorpus(pool));
  const known = (query: string) => uses.get(query) ?? common.get(query);
  const unknown = [...new Set(queries)].filter((query) => known(query) === undefined);
  const counted = new Map(unknown.length === 0 ? [] : await count(pool, unknown));
  for (const [query, n] of counted) if (n > 0) uses.set(query, n);
  return { counts: queries.map((query) => known(query) ?? counted.get(query) ?? 0), listings, lengths };
}

/**
 * About how many active listings have all of these words, as if each were as often in one listing as in another; 0 unless the
 * planner's statistics tell that every one is common.
 */
export async function estimateMatches(pool: SearchPool, words: readonly Word[]): Promise<number> {
  const needed = words.filter(({ isOptional }) => !isOptional);
  const { listings, common } = await (pool.words.corpus.get('active') ?? cacheCorpus(pool));
  if (needed.length === 0 || common.size === 0) return 0;
  const shares = needed.map(({ query, uses }) => Math.min(1, (uses ?? common.get(query) ?? 0) / listings));
  return listings * shares.reduce((all, share) => all * share, 1);
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
    common: new Map(listings < MOST_COUNTED ? [] : common.filter(([, n]) => n >= MOST_COUNTED / 10)),
  };
}

async function count(pool: Pool, queries: string[]): Promise<[string, number][]> {
  const { rows } = await pool.query<{ query: string; n: number }>({
    name: 'words-count',
    text: `select asked.query, (select count(*)::int from (
        select from listing_search s where searchable(s.words) @@ asked.query::tsquery and s.status = 'active' limit ${MOST_COUNTED}) as found) as n
      from unnest($1::text[]) as asked (query)`,
    values: [queries],
  });
  return rows.map(({ query, n }) => [query, n]);
}
