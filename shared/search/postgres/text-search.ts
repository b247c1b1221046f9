import { filters as table, type ListingFilters } from '../filters.ts';
import { comparesMoney, filtersIn, renderFilter } from './conditions.ts';
import { fitsFilters } from './filter-first.ts';
import { isContinued, keysetRowPredicate } from './keyset.ts';
import type { Position } from '../query/position.ts';
import { createParameters, type Parameters } from './parameters.ts';
import {
  allUnlessNull,
  hasColumnFilters,
  inScope,
  isActiveOnly,
  limitPage,
  namePlaceAndTime,
  needsConversion,
  orderBy,
  orderOf,
  putsFeaturedFirst,
  selectCards,
  sortsByMoney,
  type Search,
  type Sort,
  type Statement,
} from './statement.ts';
import { renderScore, titleShare, termWeightTables } from '../query/term-weights.ts';
import { categoryShare, favouredCategory, renderHeadShare } from '../query/title-heads.ts';
import type { TermWeights } from '../query/position.ts';
import { COUNT_LIMIT } from './total.ts';

/** Top-k reranking: so many of the best matches by their prerank are ordered by score, those behind them newest first. */
const RANKED = 300;

/** Matches of the relaxed query that are read at most, and that are found at most. */
const LOOKED_AT = 5_000;
const FOUND = 2_000;

/**
 * A full-text query, as tsqueries in text form: `all` words as typed or corrected; `relaxed`, which fewer words satisfy, where too
 * few listings have them all; `relaxedOnly` when none has them all. `termWeights` rank the order `relevance`.
 */
export type TextQuery = {
  all: string;
  relaxed?: string | undefined;
  relaxedOnly?: boolean | undefined;
  termWeights?: TermWeights | undefined;
  /** From the planner's statistics, for common words alone: about how many active listings match `all`. */
  estimatedMatches?: number | undefined;
};

/**
 * Builds the statement for a page of full-text matches. The order `relevance` is by tiers (all words, a match in the title), then
 * by BM25 score (query/term-weights.ts).
 */
export function planTextSearch(search: Search, asked: TextQuery): Statement {
  const parameter = createParameters();
  return search.sort === 'relevance' ? byRelevance(search, parameter, asked) : byColumn(search, parameter, asked);
}

/** Builds the statement for the total of the same search; matches of the relaxed query count up to 2,000. */
export function countTextMatches(search: Search, asked: TextQuery): Statement {
  const parameter = createParameters();
  const found = matchesOf(search, parameter, asked, () => '1 as one');
  const text = `select least(count(*), ${COUNT_LIMIT})::int as total from (${found}) as counted`;
  return { name: nameOf(search, asked, 'count'), text, values: parameter.values };
}

/** The query that a position carries on; a position keeps the names that are in cursors already issued. */
export const textQueryAt = ({ query = '', wide, onlySome, weighed }: Position): TextQuery => ({
  all: query,
  relaxed: wide,
  relaxedOnly: onlySome,
  termWeights: weighed,
});

/** The tsquery of `q` as typed, or as corrected. */
export const renderTypedQuery = ({ filters }: Search, parameter: Parameters, corrected?: string) =>
  `(select coalesce(${parameter('corrected', corrected ?? null)}::tsquery, search_query(${parameter('q', filters.q)})))`;

export const renderAllWords = ({ all }: TextQuery, parameter: Parameters) =>
  `(select ${parameter('all', all)}::tsquery)`;

/** Selects the listings s that match all words and, where the query is relaxed, up to 2,000 that match the relaxed one alone. */
function matchesOf(
  search: Search,
  parameter: Parameters,
  asked: TextQuery,
  columns: (isFull: boolean) => string,
  best = '',
): string {
  const full = () => `select ${columns(true)} ${textMatches(search, parameter, renderAllWords(asked, parameter))}`;
  if (asked.relaxed === undefined) return full();
  const relaxed = textMatches(search, parameter, `(select ${parameter('relaxed', asked.relaxed)}::tsquery)`);
  const bounded = (others: string) => `select * from (${others} limit ${LOOKED_AT}) as others ${best} limit ${FOUND}`;
  const some = `select ${columns(false)} ${relaxed}`;
  if (asked.relaxedOnly) return bounded(some);
  const rest = `${some} and s.listing_id not in (select s.listing_id ${textMatches(search, parameter, renderAllWords(asked, parameter))})`;
  return `${full()} union all (${bounded(rest)})`;
}

/** Selects the prerank of the listings s, which needs no text, as columns id and place. */
export function selectPrerank(search: Search, parameter: Parameters, asked: TextQuery): (isFull: boolean) => string {
  const isPromoted = `(${featured(search, parameter)})::int`;
  // One number to sort many hits by: how good a match, promoted or not, then newest; among matches of some words, those first whose title has most.
  return (isFull) =>
    `s.listing_id as id, date_part('epoch', s.sort_at) + 1e11::double precision * (${
      isFull
        ? `2 + (s.title @@ ${renderAllWords(asked, parameter)})::int + 2 * ${isPromoted}`
        : `${isPromoted} + 0.05 * floor(19 * ${titleShare})`
    }) as place`;
}

/** How many of the best matches are reranked: whole pages of them. */
export const rerankDepth = ({ limit }: Search) => limit * Math.ceil(RANKED / limit);

function byRelevance(search: Search, parameter: Parameters, asked: TextQuery): Statement {
  const place = selectPrerank(search, parameter, asked);
  const hits = `hits as materialized (${matchesOf(search, parameter, asked, place, 'order by place desc, id desc')})`;
  return rerankHits(search, parameter, asked, hits, totalOf(search));
}

/** Builds the statement for a page of the rows (id, place) of the table expression `hits`, top-k reranked; `total` is an expression. */
export function rerankHits(
  search: Search,
  parameter: Parameters,
  asked: TextQuery,
  hits: string,
  total: string,
): Statement {
  const { limit, offset, after } = search;
  const termWeights = asked.termWeights ?? NO_WEIGHTS;
  const ranked = rerankDepth(search);
  const isRanked = after ? after.rank !== undefined && after.rank.tier >= 0 : offset < ranked;
  const first = `order by hits.place desc, hits.id desc`;
  const further = (condition: string) =>
    `select hits.id, hits.place, -1::double precision as tier, 0::double precision as score, 0::double precision as cut, '' as cut_id from hits ${condition} ${first}`;
  // The vectors are out of line: each is fetched once here, whatever is asked of it.
  const best = () =>
    `texts as materialized (select hits.id, hits.place, s.title, ts_filter(s.words, '{b,c,d}') as rest, s.sort_at, s.price_amount, coalesce(v.views, 0) as views, s.category_id, l.title as text
      from (select * from hits ${among(search, ranked, first, parameter)}) as hits join listing_search s on s.listing_id = hits.id
      join listings l on l.id = hits.id left join listing_views v on v.listing_id = hits.id),
    headed as materialized (select r.*, ${renderHeadShare(termWeights.head, parameter)} as head_share from texts r),
    favoured as materialized (${
      search.after?.rank
        ? `select ${parameter('favoured', search.after.rank.favoured ?? null)}::text as category_id`
        : favouredCategory('headed')
    }),
    best as materialized (select r.id, r.place, floor(r.place / 1e11) as tier, ${renderScore(termWeights, search, parameter)} * (1 + ${categoryShare}) as score
      from headed r)`;
  const order = (table: string) =>
    `order by ${table}.tier desc, ${table}.score desc, ${table}.place desc, ${table}.id desc`;
  const rows = () => {
    if (!isRanked) return further(after ? afterPlace(after.key, after.id, parameter) : '');
    const cut = after?.rank
      ? `${parameter('cut', after.rank.cut)}::double precision as cut, ${parameter('cut-id', after.rank.cutId)}::text as cut_id`
      : `(select place from best order by place, id limit 1) as cut, (select id from best order by place, id limit 1) as cut_id`;
    const ranks = `select best.*, ${cut} from best ${after ? afterRank(after, parameter) : ''}`;
    if (!after?.rank) return `${ranks} ${order('best')}`;
    const others = `select * from (${further(afterPlace(after.rank.cut, after.rank.cutId, parameter))} limit ${parameter('limit', limit)}::int) as others`;
    return `select * from (${ranks} union all ${others}) as all_of_them ${order('all_of_them')}`;
  };
  const page = `page as (${limitPage(rows(), search, parameter)})`;
  const isWeighed = isRanked || asked.relaxed !== undefined;
  return {
    name: nameOf(search, asked, isRanked ? 'relevance' : 'beyond'),
    text: selectCards(
      [
        ...(isWeighed ? [termWeightTables(termWeights, parameter)] : []),
        hits,
        ...(isRanked ? [best()] : []),
        page,
      ].join(', '),
      order('page'),
      total,
      search,
      parameter,
      `false as is_featured, page.place::text as key, page.tier, page.score::text as score, page.cut::text as cut, page.cut_id, ${isRanked ? '(select category_id from favoured)' : 'null::text'} as favoured`,
    ),
    values: parameter.values,
  };
}

const NO_WEIGHTS: TermWeights = { words: [], pairs: [], lengths: { title: 1, text: 1 } };

/** The hits that are reranked: the top k, on later pages all down to the last one that the first page reranked. */
function among(search: Search, ranked: number, first: string, parameter: Parameters): string {
  const rank = search.after?.rank;
  if (!rank) return `${first} limit ${parameter('ranked', ranked)}`;
  return `where (hits.place, hits.id) >= (${parameter('cut', rank.cut)}::double precision, ${parameter('cut-id', rank.cutId)}::text)`;
}

const afterPlace = (place: string | null, id: string, parameter: Parameters) =>
  `where (hits.place, hits.id) < (${parameter(`cut`, place)}::double precision, ${parameter(`cut-id`, id)}::text)`;

function afterRank({ key, id, rank }: Position, parameter: Parameters): string {
  const number = (name: string, value: unknown) => `${parameter(name, value)}::double precision`;
  const bound = [
    number('tier', rank?.tier ?? -1),
    number('score', rank?.score ?? '0'),
    number('place', key),
    `${parameter('after-id', id)}::text`,
  ];
  return `where (best.tier, best.score, best.place, best.id) < (${bound.join(', ')})`;
}

const totalOf = (search: Search) =>
  isContinued(search) ? 'null::int' : `(select least(count(*), ${COUNT_LIMIT})::int from hits)`;

function byColumn(search: Search, parameter: Parameters, asked: TextQuery): Statement {
  const { key } = orderOf(search, parameter);
  const column = needsListing(search) ? key : key.replace('l.id', 's.listing_id').replace('l.', 's.');
  const columns = `s.listing_id as id, ${column} as key, ${featured(search, parameter)} as featured`;
  const hits = `hits as materialized (${matchesOf(search, parameter, asked, () => columns)})`;
  return sortHits(search, parameter, asked, hits, totalOf(search));
}

/** Builds the statement for a page of the rows (id, key, featured) of the table expression `hits`, by key; `total` is an expression. */
export function sortHits(
  search: Search,
  parameter: Parameters,
  asked: TextQuery,
  hits: string,
  total: string,
): Statement {
  const { direction } = orderOf(search, parameter);
  const order = (table: string) =>
    orderBy(`${table}.key`, `${table}.id`, direction).replace('order by', `order by ${table}.featured desc,`);
  const follows = isContinued(search) ? `where ${keysetRowPredicate(search, 'hits', parameter)}` : '';
  const page = `page as (${limitPage(`select * from hits ${follows} ${order('hits')}`, search, parameter)})`;
  return {
    name: nameOf(search, asked, search.sort),
    text: selectCards(`${hits}, ${page}`, order('page'), total, search, parameter),
    values: parameter.values,
  };
}

const nameOf = (search: Search, { relaxed, relaxedOnly }: TextQuery, what: string) => {
  const { filters, after } = search;
  const flags = [
    relaxed !== undefined && (relaxedOnly ? 'some' : 'more'),
    needsListing(search) ? 'joined' : isFiltered(filters) ? 'filtered' : 'narrow',
    comparesMoney(filters) && 'money',
    sortsByMoney(search) && 'converted',
    isActiveOnly(search) ? 'active' : search.scope.own ? 'own' : 'statuses',
    putsFeaturedFirst(search) && 'featured',
    namePlaceAndTime(filters),
    after && `a${after.featured ? 'p' : ''}${after.key === null ? 'n' : ''}`,
  ];
  return ['text', what, ...flags].filter(Boolean).join('-');
};

const joinedSorts = new Set<Sort>(['year_desc', 'length_desc', 'distance', 'updated_asc']);

const isJoined = (filters: ListingFilters) =>
  table.some(
    ({ name, kind, ...row }) =>
      kind !== 'words' &&
      filters[name] !== undefined &&
      !('copies' in row && (row.copies as readonly string[]).includes('words')),
  );

/** Whether a filter or the order needs columns that the narrow table of words does not have. */
export function needsListing({ filters, scope, sort }: Search): boolean {
  return scope.own !== undefined || joinedSorts.has(sort) || isJoined(filters) || needsConversion({ filters, sort });
}

/** The clause `from` of listings s that match a tsquery and the filters, joined with l where `joined`. */
export function textMatches(
  search: Search,
  parameter: Parameters,
  query: string,
  joined = needsListing(search),
): string {
  const words = `searchable(s.words) @@ ${query}`;
  const active = isActiveOnly(search);
  // The indexes of words are two, for active listings and for all others.
  const halves = ['=', '<>'].map(
    (operator) => `select s.* from listing_search s where ${words} and s.status ${operator} 'active'`,
  );
  const from = active ? 'listing_search s' : `(${halves.join(' union all ')}) as s`;
  const scope = active ? [words, `s.status = 'active'`] : [inScope(search, parameter, 's')];
  if (joined) {
    return `from ${from} join listings l on l.id = s.listing_id where ${[...scope, fitsFilters(search.filters, parameter)].join(' and ')}`;
  }
  return `from ${from} where ${[...scope, ...narrowFilters(search.filters, parameter)].join(' and ')}`;
}

/** None where nothing is filtered: with a common word there are tens of thousands of rows to ask in vain. */
function narrowFilters(filters: ListingFilters, parameter: Parameters): string[] {
  if (!isFiltered(filters)) return [];
  const conditions = filtersIn('words').map((filter) => renderFilter(filter, filters, parameter, 's'));
  return [allUnlessNull(conditions)];
}

export const isFiltered = (filters: ListingFilters) =>
  filters.category !== undefined || filters.country !== undefined || hasColumnFilters(filters);

function featured(search: Search, parameter: Parameters): string {
  if (!putsFeaturedFirst(search)) return 'false';
  return `(s.featured_until > ${parameter('now', search.now)} and s.status = 'active') is true`;
}
