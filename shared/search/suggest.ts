import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS, dayOf } from '../clock.ts';
import { plainText } from '../phrases.ts';
import { correctPrefixes } from './correct-prefixes.ts';
import { LEAST_SEARCHES, TERM_DAYS } from './terms.ts';

export type FoundTitle = { id: string; slug: string; title: string };
export type FoundTerm = { query: string; count: number };
/** `exact` tells that everything begins as it was typed, not as it may have been meant. */
export type Found = { titles: FoundTitle[]; terms: FoundTerm[]; exact: boolean };
type Row = Omit<Found, 'exact'> & { text: string };

/** Where fewer rows begin so, they are all read and sorted. */
const FEW = 40;
/** Where more do, so many with the same first letters are looked through, the most popular first, for some that begin so. */
const MOST_WALKED = 300;
const ENOUGH = 24;
/** More than an answer shows, so that some may fall out. */
const CANDIDATES = 12;
const MOST_WORDS = 8;

/**
 * Active listings, much read ones first, and frequent searches of the last 30 days whose text somebody may be typing: `q`
 * begins it or a word in it. When there is none, its words may stand in any order; then each may have one wrong letter, as
 * far as `mayCorrect`.
 */
export async function findSuggestions(pool: Pool, q: string, now: Date, mayCorrect: boolean): Promise<Found> {
  const { text, titles, terms } = await find(pool, q, [], now);
  const asTyped = { titles, terms, exact: !isEmpty({ titles, terms }) };
  if (asTyped.exact || text === '') return asTyped;
  const words = text.split(' ').slice(0, MOST_WORDS);
  const anywhere = words.length > 1 ? await findWords(pool, words, now) : asTyped;
  if (!isEmpty(anywhere) || !mayCorrect) return { ...anywhere, exact: !isEmpty(anywhere) };
  for (const corrected of await correctPrefixes(pool, words)) {
    const meant = await findWords(pool, corrected, now);
    if (!isEmpty(meant)) return { ...meant, exact: false };
  }
  return asTyped;
}

const isEmpty = ({ titles, terms }: Omit<Found, 'exact'>) => titles.length === 0 && terms.length === 0;

/** What begins with the longest of the words and has the others too. */
function findWords(pool: Pool, words: readonly string[], now: Date): Promise<Row> {
  const [first = '', ...others] = words.toSorted(
    (a, b) => Number(isNumber(a)) - Number(isNumber(b)) || b.length - a.length,
  );
  return find(pool, first, others, now);
}

const isNumber = (word: string) => /^\d+$/.test(word);

async function find(pool: Pool, q: string, others: string[], now: Date): Promise<Row> {
  const statement = plainText(q).length < 4 ? short : long;
  const { rows } = await pool.query<Row>({
    ...statement,
    values: [q, others, dayOf(addMilliseconds(now, -TERM_DAYS * DAY_MS))],
  });
  return rows[0] ?? { text: '', titles: [], terms: [] };
}

const hasOthers = `not exists (select from unnest($2::text[]) as word where strpos(' ' || start, ' ' || word) = 0)`;

const begun = (columns: string, table: string) => `
  select ${columns} from ${table}
  where start >= (select text from asked) and start < (select text from asked) || chr(1114111) and (select text from asked) <> ''
  limit ${FEW}`;

const popular = (columns: string, table: string, letters: number) => `
  select * from (
    select ${columns} from ${table}
    where left(start, ${letters}) = (select left(text, ${letters}) from asked)
    order by popularity desc limit ${MOST_WALKED}) as walked
  where start ^@ (select text from asked) and ${hasOthers} limit ${ENOUGH}`;

/** The rows of a table of starts that begin with what was asked, best first, each text once. */
const candidates = (name: string, table: string, subject: string, letters: number) => {
  const columns = `${subject} as subject, start, popularity`;
  return `
  ${name}_begun as materialized (${begun(columns, table)}),
  ${name}_found as (
    select * from ${name}_begun
    union all
    select * from (${popular(columns, table, letters)}) as popular where (select count(*) from ${name}_begun) = ${FEW}),
  ${name} as (
    select subject, popularity from (
      select distinct on (start) subject, popularity from (
        select subject, start, popularity from ${name}_found
        where ${hasOthers}
        order by popularity desc limit ${ENOUGH}) as best
      order by start, popularity desc, subject) as different
    order by popularity desc, subject limit ${CANDIDATES})`;
};

const suggestionsBy = (letters: number) => ({
  name: `suggest-${letters}`,
  text: `
with asked as materialized (select suggestion_text($1) as text),
  ${candidates('titles', 'suggestion_titles', 'listing_id', letters)},
  ${candidates('terms', 'suggestion_terms', 'query', letters)}
select (select text from asked) as text,
  coalesce((
    select json_agg(json_build_object('id', l.id, 'slug', l.slug, 'title', l.title) order by coalesce(v.views, 0) desc, t.popularity desc, l.id)
    from titles t join listings l on l.id = t.subject and l.status = 'active' left join listing_views v on v.listing_id = l.id), '[]') as titles,
  coalesce((
    select json_agg(json_build_object('query', t.subject, 'count', s.n) order by s.n desc, t.subject)
    from terms t cross join lateral (
      select sum(searches)::int as n from search_queries where query = t.subject and day > $3::date) as s
    where s.n >= ${LEAST_SEARCHES}), '[]') as terms`,
});

/** Walks go by the first four letters where so many are given. */
const [short, long] = [suggestionsBy(2), suggestionsBy(4)];
