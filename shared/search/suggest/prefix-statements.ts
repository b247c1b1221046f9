import { FREQUENT_FROM } from './frequent-prefixes.ts';
import { MIN_SEARCHES } from '../terms.ts';

/** Where the completions of a prefix are: precomputed (`ready`), among the few there are, or `unknown` (read from both). */
export type Source = 'ready' | 'few' | 'unknown';
export type Sources = { titles: Source; terms: Source };
type Kind = keyof Sources;

/**
 * A row of a statement's answer. Titles made ready come in their order, the others are as popular as they are read, terms as
 * searched for. One row is the state: `n` titles were ready, or -1 when the sources it was told are not where all there is
 * stands; `id` and `slug` tell where titles and terms were.
 */
export type SuggestionRow = {
  kind: 'ready' | 'title' | 'term' | 'state';
  id: string;
  slug: string;
  text: string;
  n: number;
};

const statements = new Map<string, { name: string; text: string }>();

/**
 * The statement for a combination of sources; the fewer sources, the cheaper. Its values are the prefix, its upper bound,
 * the first day that counts, and the limit.
 */
export function prefixStatement(sources: Sources): { name: string; text: string } {
  const name = `suggest-${sources.titles}-${sources.terms}`;
  let statement = statements.get(name);
  if (!statement) statements.set(name, (statement = { name, text: textOf(sources) }));
  return statement;
}

function textOf({ titles, terms }: Sources): string {
  const searched = [
    terms !== 'few' && 'select unnest(subjects) as query from terms_ready',
    terms !== 'ready' && fewTerms,
  ];
  const parts = [
    titles !== 'few' && readyTitles,
    titles !== 'ready' && fewTitles,
    `select 'term', null, null, t.query, s.n from (${searched.filter(Boolean).join(' union all ')}) as t
     cross join lateral (select sum(searches) as n from search_queries where query = t.query and day > $3::date) as s
     where s.n >= ${MIN_SEARCHES}`,
    `select 'state', ${placeOf('titles', titles)}, ${placeOf('terms', terms)}, null, case
     when ${isElsewhere('titles', titles)} or ${isElsewhere('terms', terms)} then -1
     else ${titles === 'few' ? 0 : 'coalesce((select cardinality(subjects) from titles_ready), 0)'} end`,
  ];
  return `with ${[...tables('titles', titles), ...tables('terms', terms)].join(', ')} ${parts.filter(Boolean).join(' union all ')}`;
}

/** Read from a row, not as parameters: so one plan does for all, and no question is planned anew. */
const between = (column: string) => `${column} >= (select $1::text) and ${column} < (select $2::text)`;

function tables(kind: Kind, source: Source): string[] {
  const subject = kind === 'titles' ? 'listing_id' : 'query';
  const ready = `${kind}_ready as materialized (
    select subjects[:$4::int] as subjects from suggestion_heads where kind = '${kind}' and ${between('prefix')}
    order by prefix limit 1)`;
  const few = `${kind}_few as materialized (
    select ${subject}, start, popularity from suggestion_${kind} where ${between('start')}
    ${source === 'unknown' ? `and not exists (select from ${kind}_ready)` : ''} limit ${FREQUENT_FROM})`;
  return { ready: [ready], few: [few], unknown: [ready, few] }[source];
}

/** What was ready may have another title by now: those with other letters than ASCII are looked at here. */
const readyTitles = `
  select 'ready' as kind, l.id, l.slug, l.title as text, -rank::float8 as n
  from titles_ready cross join unnest(subjects) with ordinality as each (listing_id, rank)
  join listings l on l.id = each.listing_id and l.status = 'active' and (octet_length(l.title) = char_length(l.title)
    or exists (select from suggestion_titles t where t.listing_id = l.id and ${between('t.start')}))`;

const fewTitles = `
  select 'title' as kind, l.id, l.slug, l.title as text, coalesce(v.views, 0)::float8 as n from (
    select listing_id from (
      select distinct on (start) listing_id, popularity from titles_few order by start, popularity desc, listing_id) as different
    order by popularity desc, listing_id limit $4::int) as t
  join listings l on l.id = t.listing_id and l.status = 'active' left join listing_views v on v.listing_id = l.id`;

const fewTerms = `
  select query from (select query from terms_few order by popularity desc, query limit $4::int) as best`;

const placeOf = (kind: Kind, source: Source) =>
  source === 'unknown' ? `case when exists (select from ${kind}_ready) then 'ready' else 'few' end` : `'${source}'`;

const isElsewhere = (kind: Kind, source: Source) =>
  source === 'ready'
    ? `not exists (select from ${kind}_ready)`
    : `(select count(*) from ${kind}_few) = ${FREQUENT_FROM}`;
