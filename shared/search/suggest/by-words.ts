import type { Pool } from 'pg';
import { FREQUENT_FROM } from './frequent-prefixes.ts';
import type { FoundTitle } from './by-prefix.ts';
import { MIN_SEARCHES } from '../terms.ts';
import { byLikelihood, decayedSearches, type FoundTerm } from './popularity.ts';

export type WordMatches = { titles: FoundTitle[]; terms: FoundTerm[] };
type Row = { kind: 'title' | 'term'; id: string; slug: string; text: string; n: number; count: number };

/** Completions scanned per prefix, most popular first, for some that have all words. */
const MAX_SCANNED = 300;
const ENOUGH = 24;
/** Spare candidates: some may be filtered out. */
const CANDIDATES = 12;

/** Completions of the first word that contain all other words. The words are folded. */
export async function findByWords(
  pool: Pool,
  [first = '', ...others]: readonly string[],
  since: string,
): Promise<WordMatches> {
  const statement = first.length < 4 ? short : long;
  const { rows } = await pool.query<Row>({ ...statement, values: [first, others, since] });
  const found: WordMatches = { titles: [], terms: [] };
  for (const { kind, id, slug, text, n, count } of rows.toSorted((a, b) => b.n - a.n)) {
    if (kind === 'title') found.titles.push({ id, slug, title: text });
    else found.terms.push({ query: text, count, popularity: n });
  }
  return { ...found, terms: byLikelihood(found.terms, [first, ...others].join(' ')) };
}

/** Read from a row, not as parameters: so one plan does for all, and no question is planned anew. */
const range = 'start >= (select text from asked) and start < (select past from asked)';
const hasOthers = `not exists (select from unnest($2::text[]) as word where strpos(' ' || start, ' ' || word) = 0)`;

/** Completions that match, best first, each text once. */
const candidates = (kind: 'titles' | 'terms', subject: string, letters: number) => `
  ${kind}_begun as materialized (
    select ${subject}, start, popularity from suggestion_${kind} where ${range} limit ${FREQUENT_FROM}),
  ${kind} as (
    select ${subject}, popularity from (
      select distinct on (start) ${subject}, popularity from (
        select ${subject}, start, popularity from (
          select * from ${kind}_begun
          union all
          select * from (
            select * from (
              select ${subject}, start, popularity from suggestion_${kind} where left(start, ${letters}) = (select left(text, ${letters}) from asked)
              order by popularity desc limit ${MAX_SCANNED}) as walked
            where (select count(*) from ${kind}_begun) = ${FREQUENT_FROM} and ${range} and ${hasOthers}
            limit ${ENOUGH}) as popular) as each
        where ${hasOthers}
        order by popularity desc limit ${ENOUGH}) as best
      order by start, popularity desc, ${subject}) as different
    order by popularity desc, ${subject} limit ${CANDIDATES})`;

const statementBy = (letters: number) => ({
  name: `suggest-thoroughly-${letters}`,
  text: `
with asked as materialized (select $1::text as text, $1 || chr(1114111) as past),
  ${candidates('titles', 'listing_id', letters)}, ${candidates('terms', 'query', letters)}
select 'title' as kind, l.id, l.slug, l.title as text, coalesce(v.views, 0)::float8 as n, null::int as count
from titles t join listings l on l.id = t.listing_id and l.status = 'active' left join listing_views v on v.listing_id = l.id
union all
select 'term', null, null, t.query, s.popularity, s.count
from terms t cross join lateral (${decayedSearches('t.query', '$3')}) as s
where s.count >= ${MIN_SEARCHES}`,
});

/** Scans by the first four letters where as many are given, else by two. */
const [short, long] = [statementBy(2), statementBy(4)];
