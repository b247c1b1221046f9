import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS, type Clock, dayOf } from '../../shared/kit/clock.ts';
import type { Logger } from '../../shared/kit/log.ts';
import {
  isFitToSuggest,
  MIN_SEARCHES,
  normalizeTerm,
  TERM_DAYS,
  TERM_HALF_LIFE_DAYS,
} from '../../shared/search/terms.ts';
import { countDuration } from '../../shared/tracking/search-trouble.ts';
import { LATER_WORD } from '../../shared/search/suggest/popularity.ts';
import { isCrawler } from './crawlers.ts';
import { writeInBatches } from './batches.ts';

const MAX_WAITING = 5_000;
const MAX_REMEMBERED = 50_000;
/** What one network can add to a search in a day: enough for people behind one address, too little to push it up. */
const MAX_PER_NETWORK = 5;

/** The words of a search, how many listings have them, whether nothing at all was found, and how long that took. */
export type Searched = { q: string; results: number; hasFailed: boolean; ms: number | undefined };
type Waiting = {
  day: string;
  query: string;
  typed: string;
  at: Date;
  searches: number;
  results: number;
  misses: number;
  slowestMs: number | null;
  durations: number[];
};

/**
 * Counts searches in batches, never in the request's own path, as suggestions for other readers; those of crawlers do not
 * count. Who searched is not kept: how often a network asked for the same is remembered in memory alone, as a hash.
 */
export function createSearchTerms(pool: Pool, clock: Clock, log: Logger) {
  const asked = new Map<string, number>();
  let waiting = new Map<string, Waiting>();

  function add(one: Waiting): void {
    const known = waiting.get(`${one.day} ${one.query}`);
    if (!known && waiting.size >= MAX_WAITING) return;
    waiting.set(`${one.day} ${one.query}`, known ? together(known, one) : one);
  }

  async function flushWaiting(): Promise<boolean> {
    if (waiting.size === 0) return true;
    const batch = [...waiting.values()];
    waiting = new Map();
    try {
      await countSearches(pool, batch, clock.now());
      return true;
    } catch (error) {
      for (const each of batch) add(each);
      log.warn({ err: error, searches: batch.length }, 'searches could not be counted yet');
      return false;
    }
  }

  return {
    /** Records the first page of one search and how many listings it found. */
    record({ q, results, hasFailed, ms }: Searched, network: string, userAgent: string): void {
      const query = normalizeTerm(q);
      if (query === undefined || isCrawler(userAgent)) return;
      const at = clock.now();
      const day = dayOf(at);
      const reader = createHash('sha1').update(`${day}\n${network}\n${query}`).digest('base64');
      const times = asked.get(reader) ?? 0;
      if (times >= MAX_PER_NETWORK) return;
      if (asked.size >= MAX_REMEMBERED) asked.clear();
      asked.set(reader, times + 1);
      add({
        ...{
          day,
          query,
          typed: q.normalize('NFC').trim().replaceAll(/\s+/g, ' '),
          at,
          searches: 1,
          results,
          misses: hasFailed ? 1 : 0,
        },
        slowestMs: ms === undefined ? null : Math.ceil(ms),
        durations: ms === undefined ? [] : countDuration(ms),
      });
    },
    ...writeInBatches(flushWaiting),
  };
}

export type SearchTerms = ReturnType<typeof createSearchTerms>;

function together(known: Waiting, one: Waiting): Waiting {
  const later = one.at >= known.at ? one : known;
  const classes = Math.max(known.durations.length, one.durations.length);
  return {
    ...later,
    searches: known.searches + one.searches,
    results: Math.max(known.results, one.results),
    misses: known.misses + one.misses,
    slowestMs: one.slowestMs === null ? known.slowestMs : Math.max(known.slowestMs ?? 0, one.slowestMs),
    durations: Array.from({ length: classes }, (_, n) => (known.durations[n] ?? 0) + (one.durations[n] ?? 0)),
  };
}

/** Adds to the counts of each day; what is frequent by now, had results and may be shown to others is suggested from here on. */
async function countSearches(pool: Pool, batch: Waiting[], now: Date): Promise<void> {
  const fit = new Set(batch.map(({ query }) => query).filter(isFitToSuggest));
  await pool.query({
    name: 'count-searches',
    text: `with counted as (
             insert into search_queries as s (day, query, searches, results, typed, asked_at, misses, slowest_ms, durations)
             select day, query, searches, results, typed, asked_at, misses, slowest_ms, durations::int[]
             from unnest($1::date[], $2::text[], $3::int[], $4::int[], $8::text[], $9::timestamptz[], $10::int[], $11::int[], $12::text[])
               as t (day, query, searches, results, typed, asked_at, misses, slowest_ms, durations) order by query, day
             on conflict (day, query) do update
               set searches = s.searches + excluded.searches, results = greatest(s.results, excluded.results),
                 typed = excluded.typed, asked_at = greatest(s.asked_at, excluded.asked_at), misses = s.misses + excluded.misses,
                 slowest_ms = greatest(s.slowest_ms, excluded.slowest_ms), durations = add_counts(s.durations, excluded.durations)
             returning day, query, searches, results),
           lately as (
             select day, query, searches, results from counted where day > $6::date
             union all
             select q.day, q.query, q.searches, q.results from search_queries q join (select distinct query from counted) as c using (query)
             where q.day > $6::date and not exists (select from counted where counted.day = q.day and counted.query = q.query)),
           frequent as (
             select query, term_popularity(sum(searches * power(2::float8, (day - $7::date)::float8 / ${TERM_HALF_LIFE_DAYS})), $7::date) as popularity from lately
             where query = any($5) group by query having sum(searches) >= ${MIN_SEARCHES} and max(results) > 0)
           insert into suggestion_terms as t (query, place, popularity, start, last_day)
           select query, place, popularity - case place when 1 then 0 else ${LATER_WORD} end, start, $7::date from frequent cross join lateral suggestion_starts(query)
           order by query, place
           on conflict (query, place) do update set popularity = excluded.popularity, last_day = excluded.last_day
             where (t.popularity, t.last_day) is distinct from (excluded.popularity, excluded.last_day)`,
    values: [
      batch.map(({ day }) => day),
      batch.map(({ query }) => query),
      batch.map(({ searches }) => searches),
      batch.map(({ results }) => results),
      [...fit],
      dayOf(addMilliseconds(now, -TERM_DAYS * DAY_MS)),
      dayOf(now),
      batch.map(({ typed }) => typed),
      batch.map(({ at }) => at),
      batch.map(({ misses }) => misses),
      batch.map(({ slowestMs }) => slowestMs),
      batch.map(({ durations }) => `{${durations.join(',')}}`),
    ],
  });
}
