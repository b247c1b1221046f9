import type { Pool } from 'pg';
import { CROWD } from './suggest-heads.ts';
import { isBegun, plainAscii } from './suggest-text.ts';
import { LEAST_SEARCHES } from './terms.ts';

export type FoundTitle = { id: string; slug: string; title: string };
export type FoundTerm = { query: string; count: number };
/** `text` is what was asked, in the form in which it is compared. */
export type FoundQuickly = { text: string; titles: FoundTitle[]; terms: FoundTerm[]; isCrowded: boolean };
type Row = { kind: 'ready' | 'title' | 'term' | 'state'; id: string; slug: string; text: string; n: number };

/** An answer shows ten at most; some may be gone, or say what another source says. */
const SPARE = 4;
/** From more on that are gone since a beginning was looked at, it is better looked at again. */
const MOST_GONE = 4;

/**
 * What begins with `q`, at most about `limit` of each kind, by as few looks into the database as there can be: crowded
 * beginnings have theirs ready, others have so few that all are read. A beginning that is crowded but has none ready, or
 * hardly any that are left, is told by `isCrowded`: then this is not all there is.
 */
export async function findQuickly(pool: Pool, q: string, since: string, limit: number): Promise<FoundQuickly> {
  const text = plainAscii(q) ?? (await plainTextOf(pool, q));
  const found: FoundQuickly = { text, titles: [], terms: [], isCrowded: false };
  if (text === '') return found;
  const { rows } = await pool.query<Row>({ ...statement, values: [text, text + LAST_LETTER, since, limit + SPARE] });
  let ready = 0;
  for (const row of rows.sort((a, b) => b.n - a.n)) {
    if (row.kind === 'term') found.terms.push({ query: row.text, count: row.n });
    else if (row.kind === 'state') [ready, found.isCrowded] = [Math.max(row.n, 0), row.n < 0];
    else if (row.kind === 'title' || isStill(row.text, text))
      found.titles.push({ id: row.id, slug: row.slug, title: row.text });
  }
  found.isCrowded ||= ready - found.titles.length > MOST_GONE;
  return found;
}

const LAST_LETTER = '\u{10FFFF}';

async function plainTextOf(pool: Pool, q: string): Promise<string> {
  const { rows } = await pool.query<{ text: string }>({
    name: 'suggest-text',
    text: 'select suggestion_text($1) as text',
    values: [q],
  });
  return rows[0]?.text ?? '';
}

/** What was ready may have another title by now: the statement looks at those with other letters, this at all others. */
function isStill(title: string, text: string): boolean {
  if (` ${title.toLowerCase()}`.includes(` ${text}`)) return true;
  const plain = plainAscii(title);
  return plain === undefined || isBegun(plain, text);
}

/** Read from a row, not as parameters: so one plan does for all, and no question is planned anew. */
const between = (column: string) => `${column} >= (select $1::text) and ${column} < (select $2::text)`;

const ready = (kind: 'titles' | 'terms') => `
  ${kind}_ready as materialized (
    select subjects[:$4::int] as subjects from suggestion_heads where kind = '${kind}' and ${between('prefix')}
    order by prefix limit 1)`;

const few = (kind: 'titles' | 'terms', subject: string) => `
  ${kind}_few as materialized (
    select ${subject}, start, popularity from suggestion_${kind}
    where ${between('start')} and not exists (select from ${kind}_ready) limit ${CROWD})`;

/** The state is how many titles were ready, or -1 where there are more than could be read. */
const statement = {
  name: 'suggest-quickly',
  text: `
with ${ready('titles')}, ${few('titles', 'listing_id')}, ${ready('terms')}, ${few('terms', 'query')}
select 'ready' as kind, l.id, l.slug, l.title as text, -rank::float8 as n
from titles_ready cross join unnest(subjects) with ordinality as each (listing_id, rank)
join listings l on l.id = each.listing_id and l.status = 'active' and (octet_length(l.title) = char_length(l.title)
  or exists (select from suggestion_titles t where t.listing_id = l.id and ${between('t.start')}))
union all
select 'title', l.id, l.slug, l.title, coalesce(v.views, 0) from (
    select listing_id from (
      select distinct on (start) listing_id, popularity from titles_few order by start, popularity desc, listing_id) as different
    order by popularity desc, listing_id limit $4) as t
  join listings l on l.id = t.listing_id and l.status = 'active' left join listing_views v on v.listing_id = l.id
union all
select 'term', null, null, t.query, s.n from (
    select query from (select query from terms_few order by popularity desc, query limit $4) as best
    union all select unnest(subjects) from terms_ready) as t
  cross join lateral (select sum(searches) as n from search_queries where query = t.query and day > $3::date) as s
  where s.n >= ${LEAST_SEARCHES}
union all
select 'state', null, null, null, case
  when (select count(*) from titles_few) = ${CROWD} or (select count(*) from terms_few) = ${CROWD} then -1
  else coalesce((select cardinality(subjects) from titles_ready), 0) end`,
};
