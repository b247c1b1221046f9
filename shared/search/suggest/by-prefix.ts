import type { Pool } from 'pg';
import { MIN_SEARCHES } from '../terms.ts';
import { FREQUENT_FROM } from './frequent-prefixes.ts';
import { byLikelihood, decayedSearches, type FoundTerm } from './popularity.ts';
import { beginsAtWord, foldAscii } from './text.ts';

export type FoundTitle = { id: string; slug: string; title: string };
/** `isFrequent` tells that the answer is incomplete. */
export type PrefixMatches = { titles: FoundTitle[]; terms: FoundTerm[]; isFrequent: boolean };

/**
 * A row of the answer: precomputed titles in their order, others by views, terms by decayed searches. The state has as `n`
 * how many titles were precomputed, or -1 when a prefix is frequent and nothing is precomputed for it.
 */
type Row = {
  kind: 'ready' | 'title' | 'term' | 'state';
  id: string;
  slug: string;
  text: string;
  n: number;
  count: number;
};

/** Spare candidates: some may be gone or repeat another source. */
const SPARE = 4;
/** From so many missing on the precomputed completions are read anew. */
const MAX_GONE = 4;
const LAST_LETTER = '\u{10FFFF}';

/**
 * Prefix completion: frequent prefixes are precomputed, others have so few completions that all are read. `isFrequent` is set
 * for a frequent prefix without precomputed completions, or hardly any left. The text is folded.
 */
export async function findByPrefix(pool: Pool, text: string, since: string, limit: number): Promise<PrefixMatches> {
  const values = [text, text + LAST_LETTER, since, limit + SPARE];
  const { rows } = await pool.query<Row>({ ...statement, values });
  const found: PrefixMatches = { titles: [], terms: [], isFrequent: false };
  let ready = 0;
  for (const { kind, id, slug, text: title, n, count } of rows.sort((a, b) => b.n - a.n)) {
    if (kind === 'term') found.terms.push({ query: title, count, popularity: n });
    else if (kind === 'state') [ready, found.isFrequent] = [Math.max(n, 0), n < 0];
    else if (kind === 'title' || isStill(title, text)) found.titles.push({ id, slug, title });
  }
  found.terms = byLikelihood(found.terms, text);
  found.isFrequent ||= ready - found.titles.length > MAX_GONE;
  return found;
}

/** What was precomputed may have another title by now: the statement looks at those with other letters, this at all others. */
function isStill(title: string, text: string): boolean {
  if (` ${title.toLowerCase()}`.includes(` ${text}`)) return true;
  const plain = foldAscii(title);
  return plain === undefined || beginsAtWord(plain, text);
}

/** Read from a row, not as parameters: so one plan does for all, and no question is planned anew. */
const between = (column: string) => `${column} >= (select $1::text) and ${column} < (select $2::text)`;

/** The precomputed completions of a prefix or, where there are none, all completions. */
const sources = (kind: 'titles' | 'terms', subject: string) => `
  ${kind}_ready as materialized (
    select subjects[:$4::int] as subjects from suggestion_heads where kind = '${kind}' and ${between('prefix')} order by prefix limit 1),
  ${kind}_few as materialized (
    select ${subject}, start, popularity from suggestion_${kind}
    where ${between('start')} and not exists (select from ${kind}_ready) limit ${FREQUENT_FROM})`;

const isMissing = (kind: 'titles' | 'terms') => `(select count(*) from ${kind}_few) = ${FREQUENT_FROM}`;

const statement = {
  name: 'suggest-by-prefix',
  text: `
with ${sources('titles', 'listing_id')}, ${sources('terms', 'query')}
select 'ready' as kind, l.id, l.slug, l.title as text, -rank::float8 as n, null::int as count
from titles_ready cross join unnest(subjects) with ordinality as each (listing_id, rank)
join listings l on l.id = each.listing_id and l.status = 'active' and (octet_length(l.title) = char_length(l.title)
  or exists (select from suggestion_titles t where t.listing_id = l.id and ${between('t.start')}))
union all
select 'title', l.id, l.slug, l.title, coalesce(v.views, 0)::float8, null from (
  select listing_id from (
    select distinct on (start) listing_id, popularity from titles_few order by start, popularity desc, listing_id) as different
  order by popularity desc, listing_id limit $4::int) as t
join listings l on l.id = t.listing_id and l.status = 'active' left join listing_views v on v.listing_id = l.id
union all
select 'term', null, null, t.query, s.popularity, s.count from (
  select unnest(subjects) as query from terms_ready
  union all
  select query from (
    select query from terms_few group by query order by max(popularity) desc, query limit $4::int) as best) as t
cross join lateral (${decayedSearches('t.query', '$3')}) as s
where s.count >= ${MIN_SEARCHES}
union all
select 'state', null, null, null, case
  when ${isMissing('titles')} or ${isMissing('terms')} then -1
  else coalesce((select cardinality(subjects) from titles_ready), 0) end, null`,
};
