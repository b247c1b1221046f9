import { filters as table, type ListingFilters } from '../filters.ts';
import type { Position } from '../query/position.ts';
import type { TermWeights } from '../query/position.ts';
import { titleShare } from '../query/term-weights.ts';
import { allUnlessNull, filtersIn, fitsFilters, inScope, needsConversion, renderFilter } from './conditions.ts';
import { orderOf, orderRowsBy, whereAfter } from './order.ts';
import { rerankHits } from './rerank.ts';
import {
  createParameters,
  isActiveOnly,
  limitPage,
  putsFeaturedFirst,
  selectPage,
  type Parameters,
  type Search,
  type Sort,
  type Statement,
} from './statement.ts';
import { COUNT_LIMIT } from './total.ts';

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
  /** Whether that is the frequency of one word, and no product of several that may depend on each other. */
  isOneWord?: boolean | undefined;
};

/**
 * The text plan: an index of words finds all matches, which are then sorted. The order `relevance` is by tiers (all words, a match
 * in the title), then by BM25 score (query/term-weights.ts).
 */
export function planTextSearch(search: Search, asked: TextQuery): Statement {
  const parameter = createParameters();
  const total = search.after ? 'null::int' : `(select least(count(*), ${COUNT_LIMIT})::int from hits)`;
  if (search.sort === 'relevance') {
    const columns = selectPrerank(search, parameter, asked);
    const hits = `hits as materialized (${matchesOf(search, parameter, asked, columns, 'order by place desc, id desc')})`;
    return rerankHits(search, parameter, asked.termWeights, { hits, total, isRelaxed: asked.relaxed !== undefined });
  }
  const { key } = orderOf(search, parameter, needsListing(search) ? {} : { alias: 's', id: 's.listing_id' });
  const columns = () => `s.listing_id as id, ${key} as key, ${featured(search, parameter)} as featured`;
  const hits = `hits as materialized (${matchesOf(search, parameter, asked, columns)})`;
  return sortHits(search, parameter, hits, total);
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
  const full = (selected: string) =>
    `select ${selected} ${textMatches(search, parameter, renderAllWords(asked, parameter))}`;
  if (asked.relaxed === undefined) return full(columns(true));
  const relaxed = textMatches(search, parameter, `(select ${parameter('relaxed', asked.relaxed)}::tsquery)`);
  const bounded = (others: string) => `select * from (${others} limit ${LOOKED_AT}) as others ${best} limit ${FOUND}`;
  const some = `select ${columns(false)} ${relaxed}`;
  if (asked.relaxedOnly) return bounded(some);
  return `${full(columns(true))} union all (${bounded(`${some} and s.listing_id not in (${full('s.listing_id')})`)})`;
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

/** Builds the statement for a page of the rows (id, key, featured) of the table expression `hits`, by key; `total` is an expression. */
export function sortHits(search: Search, parameter: Parameters, hits: string, total: string): Statement {
  const order = orderOf(search, parameter);
  const rows = `select * from hits ${whereAfter(order, search, 'hits', parameter)} ${orderRowsBy(order, 'hits')}`;
  return {
    text: selectPage(`${hits}, page as (${limitPage(rows, search, parameter)})`, orderRowsBy(order, 'page'), total),
    values: parameter.values,
  };
}

/** The orders by columns that the narrow rows of words do not have. */
const joinedSorts = new Set<Sort>(['distance', 'updated_asc']);
const joinedFilters = table.filter(
  ({ kind, ...row }) => kind !== 'words' && !('copies' in row && (row.copies as readonly string[]).includes('words')),
);

/** Whether a filter or the order needs columns that the narrow table of words does not have. */
export const needsListing = ({ filters, scope, sort }: Search): boolean =>
  scope.own !== undefined ||
  joinedSorts.has(sort) ||
  needsConversion({ filters, sort }) ||
  joinedFilters.some(({ name }) => filters[name] !== undefined);

/** The clause `from` of listings s that match a tsquery and the filters, joined with l where `joined`. */
export function textMatches(
  search: Search,
  parameter: Parameters,
  query: string,
  joined = needsListing(search),
): string {
  const words = `searchable(s.words) @@ ${query}`;
  const scope = inScope(search, parameter, 's');
  // The indexes of words are two, for active listings and for all others.
  const halves = ['=', '<>'].map(
    (operator) => `select s.* from listing_search s where ${words} and s.status ${operator} 'active'`,
  );
  const from = isActiveOnly(search) ? 'listing_search s' : `(${halves.join(' union all ')}) as s`;
  const conditions = isActiveOnly(search) ? [words, scope] : [scope];
  if (!joined)
    return `from ${from} where ${[...conditions, ...narrowFilters(search.filters, parameter)].join(' and ')}`;
  return `from ${from} join listings l on l.id = s.listing_id
    where ${[...conditions, fitsFilters(search.filters, parameter)].join(' and ')}`;
}

/** None where nothing is filtered: with a common word there are tens of thousands of rows to ask in vain. */
export const narrowFilters = (filters: ListingFilters, parameter: Parameters): string[] =>
  isFiltered(filters)
    ? [allUnlessNull(filtersIn('words').map((filter) => renderFilter(filter, filters, parameter, 's')))]
    : [];

/** Whether a filter is asked for that the narrow rows of words answer. */
export const isFiltered = (filters: ListingFilters) =>
  filtersIn('words').some(({ name }) => filters[name as keyof ListingFilters] !== undefined);

function featured(search: Search, parameter: Parameters): string {
  if (!putsFeaturedFirst(search)) return 'false';
  return `(s.featured_until > ${parameter('now', search.now)} and s.status = 'active') is true`;
}
