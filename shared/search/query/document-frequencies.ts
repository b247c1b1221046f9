import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { QueryTerm } from './query-term.ts';

/** How often words are used: the active listings with each of them, how many listings there are, and how long they are. */
export type DocumentFrequencies = { counts: number[]; listings: number; lengths: AverageLengths };

/** Different words in a title, and in all other text, of a listing of middling length. */
export type AverageLengths = { title: number; text: number };

type Known = { listings: number; lengths: AverageLengths; common: Map<string, number> };

/** More matches than so many are not counted one by one: such a word hardly tells one listing from another. */
const MAX_COUNTED = 20_000;
const MAX_CACHED = 20_000;
const MINUTE_MS = 60_000;

const memories = new WeakMap<Pool, { words: LRUCache<string, number>; corpus: LRUCache<string, Promise<Known>> }>();

/**
 * Counts the active listings that match each of some tsqueries. Common words are told by the planner's statistics of the index
 * of words, which ANALYZE renews as listings come and go; others are counted. What is known holds for a minute in this process,
 * but for words without a listing, which the next one may use.
 */
export async function readDocumentFrequencies(pool: Pool, queries: readonly string[]): Promise<DocumentFrequencies> {
  const { words, corpus } = memoryOf(pool);
  const { listings, lengths, common } = await (corpus.get('active') ?? remember(pool, corpus));
  const known = (query: string) => words.get(query) ?? common.get(query);
  const unknown = [...new Set(queries)].filter((query) => known(query) === undefined);
  const counted = new Map(unknown.length === 0 ? [] : await count(pool, unknown));
  for (const [query, n] of counted) if (n > 0) words.set(query, n);
  return { counts: queries.map((query) => known(query) ?? counted.get(query) ?? 0), listings, lengths };
}

/**
 * About how many active listings have all of these words, as if each were as often in one listing as in another; 0 unless the
 * planner's statistics tell that every one is common.
 */
export async function estimateMatches(pool: Pool, words: readonly QueryTerm[]): Promise<number> {
  const needed = words.filter(({ isOptional }) => !isOptional);
  const { corpus } = memoryOf(pool);
  const { listings, common } = await (corpus.get('active') ?? remember(pool, corpus));
  if (needed.length === 0 || common.size === 0) return 0;
  const shares = needed.map(({ query, uses }) => Math.min(1, (uses ?? common.get(query) ?? 0) / listings));
  return listings * shares.reduce((all, share) => all * share, 1);
}

function memoryOf(pool: Pool) {
  const memory = memories.get(pool) ?? {
    words: new LRUCache<string, number>({ max: MAX_CACHED, ttl: MINUTE_MS }),
    corpus: new LRUCache<string, Promise<Known>>({ max: 1, ttl: MINUTE_MS }),
  };
  memories.set(pool, memory);
  return memory;
}

/** Requests that come meanwhile wait for the same answer; a failure is not remembered. */
function remember(pool: Pool, corpus: LRUCache<string, Promise<Known>>): Promise<Known> {
  const known = readCorpus(pool);
  corpus.set('active', known);
  known.catch(() => corpus.delete('active'));
  return known;
}

async function readCorpus(pool: Pool): Promise<Known> {
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
