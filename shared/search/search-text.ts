import type { ListingFilters } from './filters.ts';
import { fitsFilters } from './search-gather.ts';
import { isContinued, rowsBehind } from './search-keyset.ts';
import type { Position } from './search-position.ts';
import {
  allUnlessNull,
  createParameters,
  facets,
  hasFacets,
  inScope,
  isActiveOnly,
  limitPage,
  narrowedBy,
  orderBy,
  orderOf,
  putsFeaturedFirst,
  selectCards,
  type Parameters,
  type Search,
  type Sort,
  type Statement,
} from './search-sql.ts';
import { scoreOf, titleShare, weighedTables } from './search-weights.ts';
import type { Weighed } from './search-position.ts';
import { COUNT_LIMIT } from './total.ts';

/** So many of the best matches are ranked by their text; those behind them follow newest first. */
const RANKED = 300;

/** Of listings with some of the words so many are looked at, and so many found. */
const LOOKED_AT = 5_000;
const FOUND = 2_000;

/**
 * What a search of words looks for, as tsqueries: all of the words, or what mistyped ones were corrected to; and, where too few
 * listings have them all, what those with some of them match; `onlySome` when none has them all. `weighed` is what the order
 * `relevance` goes by.
 */
export type Asked = {
  query: string;
  wide?: string | undefined;
  onlySome?: boolean | undefined;
  weighed?: Weighed | undefined;
  /** Of common words: about how many active listings have all of them. */
  about?: number | undefined;
};

/**
 * A page of the listings that have the words asked for. In the order `relevance` a match in the title comes before every other,
 * and listings with all of the words before those with some; among equals the score decides (search-weights.ts).
 */
export function findText(search: Search, asked: Asked): Statement {
  const parameter = createParameters();
  return search.sort === 'relevance' ? byRelevance(search, parameter, asked) : byColumn(search, parameter, asked);
}

/** The total of the same search alone, as a page tells it; of listings with some of the words, as many as are found. */
export function countText(search: Search, asked: Asked): Statement {
  const parameter = createParameters();
  const found = matchesOf(search, parameter, asked, () => '1 as one');
  const text = `select least(count(*), ${COUNT_LIMIT})::int as total from (${found}) as counted`;
  return { name: nameOf(search, asked, 'count'), text, values: parameter.values };
}

/** The tsquery of the words looked for, or of what they were corrected to. */
export const queryOf = ({ filters }: Search, parameter: Parameters, corrected?: string) =>
  `(select coalesce(${parameter('corrected', corrected ?? null)}::tsquery, search_query(${parameter('q', filters.q)})))`;

export const fullOf = ({ query }: Asked, parameter: Parameters) => `(select ${parameter('query', query)}::tsquery)`;

/** Selects the listings s with all of the words and, where it was asked for, up to 2,000 of those with some of them. */
function matchesOf(
  search: Search,
  parameter: Parameters,
  asked: Asked,
  columns: (isFull: boolean) => string,
  best = '',
): string {
  const full = () => `select ${columns(true)} ${textMatches(search, parameter, fullOf(asked, parameter))}`;
  if (asked.wide === undefined) return full();
  const wide = textMatches(search, parameter, `(select ${parameter('wide', asked.wide)}::tsquery)`);
  const bounded = (others: string) => `select * from (${others} limit ${LOOKED_AT}) as others ${best} limit ${FOUND}`;
  const some = `select ${columns(false)} ${wide}`;
  if (asked.onlySome) return bounded(some);
  const rest = `${some} and s.listing_id not in (select s.listing_id ${textMatches(search, parameter, fullOf(asked, parameter))})`;
  return `${full()} union all (${bounded(rest)})`;
}

/** Where the listings s stand before their texts are looked at, as columns id and place. */
export function placeOf(search: Search, parameter: Parameters, asked: Asked): (isFull: boolean) => string {
  const isPromoted = `(${featured(search, parameter)})::int`;
  // One number to sort many hits by: how good a match, promoted or not, then newest; among matches of some words, those first whose title has most.
  return (isFull) =>
    `s.listing_id as id, date_part('epoch', s.sort_at) + 1e11::double precision * (${
      isFull
        ? `2 + (s.title @@ ${fullOf(asked, parameter)})::int + 2 * ${isPromoted}`
        : `${isPromoted} + 0.05 * floor(19 * ${titleShare})`
    }) as place`;
}

/** So many of the best are ranked: whole pages, so that no page is half ranked. */
export const rankedOf = ({ limit }: Search) => limit * Math.ceil(RANKED / limit);

function byRelevance(search: Search, parameter: Parameters, asked: Asked): Statement {
  const place = placeOf(search, parameter, asked);
  const hits = `hits as materialized (${matchesOf(search, parameter, asked, place, 'order by place desc, id desc')})`;
  return rankHits(search, parameter, asked, hits, totalOf(search));
}

/** A page of the rows (id, place) that the table expression `hits` finds, ranked by their texts; `total` is an expression. */
export function rankHits(search: Search, parameter: Parameters, asked: Asked, hits: string, total: string): Statement {
  const { limit, offset, after } = search;
  const weighed = asked.weighed ?? NOTHING;
  const ranked = rankedOf(search);
  const isRanked = after ? after.rank !== undefined && after.rank.tier >= 0 : offset < ranked;
  const first = `order by hits.place desc, hits.id desc`;
  const further = (condition: string) =>
    `select hits.id, hits.place, -1::double precision as tier, 0::double precision as score, 0::double precision as cut, '' as cut_id from hits ${condition} ${first}`;
  // The vectors are out of line: each is fetched once here, whatever is asked of it.
  const best = () =>
    `texts as materialized (select hits.id, hits.place, s.title, ts_filter(s.words, '{b,c,d}') as rest, s.sort_at, s.price_amount, coalesce(v.views, 0) as views
      from (select * from hits ${among(search, ranked, first, parameter)}) as hits join listing_search s on s.listing_id = hits.id left join listing_views v on v.listing_id = hits.id),
    best as materialized (select r.id, r.place, floor(r.place / 1e11) as tier, ${scoreOf(weighed, search, parameter)} as score from texts r)`;
  const order = (table: string) =>
    `order by ${table}.tier desc, ${table}.score desc, ${table}.place desc, ${table}.id desc`;
  const rows = () => {
    if (!isRanked) return further(after ? behindPlace(after.key, after.id, parameter) : '');
    const cut = after?.rank
      ? `${parameter('cut', after.rank.cut)}::double precision as cut, ${parameter('cut-id', after.rank.cutId)}::text as cut_id`
      : `(select place from best order by place, id limit 1) as cut, (select id from best order by place, id limit 1) as cut_id`;
    const ranks = `select best.*, ${cut} from best ${after ? behindRank(after, parameter) : ''}`;
    if (!after?.rank) return `${ranks} ${order('best')}`;
    const others = `select * from (${further(behindPlace(after.rank.cut, after.rank.cutId, parameter))} limit ${parameter('limit', limit)}::int) as others`;
    return `select * from (${ranks} union all ${others}) as all_of_them ${order('all_of_them')}`;
  };
  const page = `page as (${limitPage(rows(), search, parameter)})`;
  const isWeighed = isRanked || asked.wide !== undefined;
  return {
    name: nameOf(search, asked, isRanked ? 'relevance' : 'beyond'),
    text: selectCards(
      [...(isWeighed ? [weighedTables(weighed, parameter)] : []), hits, ...(isRanked ? [best()] : []), page].join(', '),
      order('page'),
      total,
      search,
      parameter,
      `false as is_featured, page.place::text as key, page.tier, page.score::text as score, page.cut::text as cut, page.cut_id`,
    ),
    values: parameter.values,
  };
}

const NOTHING: Weighed = { words: [], pairs: [], lengths: { title: 1, text: 1 } };

/** The hits that are ranked: the first, or those that were the first when the first page was read, and whatever is like them. */
function among(search: Search, ranked: number, first: string, parameter: Parameters): string {
  const rank = search.after?.rank;
  if (!rank) return `${first} limit ${parameter('ranked', ranked)}`;
  return `where (hits.place, hits.id) >= (${parameter('cut', rank.cut)}::double precision, ${parameter('cut-id', rank.cutId)}::text)`;
}

const behindPlace = (place: string | null, id: string, parameter: Parameters) =>
  `where (hits.place, hits.id) < (${parameter(`cut`, place)}::double precision, ${parameter(`cut-id`, id)}::text)`;

function behindRank({ key, id, rank }: Position, parameter: Parameters): string {
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

function byColumn(search: Search, parameter: Parameters, asked: Asked): Statement {
  const { key } = orderOf(search, parameter);
  const column = needsListing(search) ? key : key.replace('l.id', 's.listing_id').replace('l.', 's.');
  const columns = `s.listing_id as id, ${column} as key, ${featured(search, parameter)} as featured`;
  const hits = `hits as materialized (${matchesOf(search, parameter, asked, () => columns)})`;
  return sortHits(search, parameter, asked, hits, totalOf(search));
}

/** A page of the rows (id, key, featured) that the table expression `hits` finds, in their order; `total` is an expression. */
export function sortHits(search: Search, parameter: Parameters, asked: Asked, hits: string, total: string): Statement {
  const { direction } = orderOf(search, parameter);
  const order = (table: string) =>
    orderBy(`${table}.key`, `${table}.id`, direction).replace('order by', `order by ${table}.featured desc,`);
  const follows = isContinued(search) ? `where ${rowsBehind(search, 'hits', parameter)}` : '';
  const page = `page as (${limitPage(`select * from hits ${follows} ${order('hits')}`, search, parameter)})`;
  return {
    name: nameOf(search, asked, search.sort),
    text: selectCards(`${hits}, ${page}`, order('page'), total, search, parameter),
    values: parameter.values,
  };
}

const nameOf = (search: Search, { wide, onlySome }: Asked, what: string) => {
  const { filters, after } = search;
  const flags = [
    wide !== undefined && (onlySome ? 'some' : 'more'),
    needsListing(search) ? 'joined' : isFiltered(filters) ? 'filtered' : 'narrow',
    isActiveOnly(search) ? 'active' : search.scope.own ? 'own' : 'statuses',
    putsFeaturedFirst(search) && 'featured',
    narrowedBy(filters),
    after && `a${after.featured ? 'p' : ''}${after.key === null ? 'n' : ''}`,
  ];
  return ['text', what, ...flags].filter(Boolean).join('-');
};

const wideSorts = new Set<Sort>(['year_desc', 'length_desc', 'distance', 'updated_asc']);

/** Whether a filter or the order needs columns that the narrow table of words does not have. */
export function needsListing({ filters, scope, sort }: Search): boolean {
  const { sellerId, city, attributes, year, length, near, bbox, updatedSince } = filters;
  const wide = [sellerId, city, attributes, year, length, near, bbox, updatedSince, scope.own];
  return wide.some((filter) => filter !== undefined) || wideSorts.has(sort);
}

/** Listings s, joined with l where they are to be `wide`, that have the words of a search: the clause `from`. */
export function textMatches(search: Search, parameter: Parameters, query: string, wide = needsListing(search)): string {
  const words = `searchable(s.words) @@ ${query}`;
  const active = isActiveOnly(search);
  // The indexes of words are two, for active listings and for all others.
  const halves = ['=', '<>'].map(
    (operator) => `select s.* from listing_search s where ${words} and s.status ${operator} 'active'`,
  );
  const from = active ? 'listing_search s' : `(${halves.join(' union all ')}) as s`;
  const scope = active ? [words, `s.status = 'active'`] : [inScope(search, parameter, 's')];
  if (wide) {
    return `from ${from} join listings l on l.id = s.listing_id where ${[...scope, fitsFilters(search.filters, parameter)].join(' and ')}`;
  }
  return `from ${from} where ${[...scope, ...narrowFilters(search.filters, parameter)].join(' and ')}`;
}

/** None where nothing is filtered: with a common word there are tens of thousands of rows to ask in vain. */
function narrowFilters(filters: ListingFilters, parameter: Parameters): string[] {
  if (!isFiltered(filters)) return [];
  const categories = `s.category_id = any(${parameter('categories', filters.categoryIds ?? null)}::text[])`;
  return [allUnlessNull([categories, ...facets(filters, parameter, { table: 's', build: false })])];
}

export const isFiltered = (filters: ListingFilters) =>
  filters.categoryIds !== undefined || filters.country !== undefined || hasFacets(filters);

function featured(search: Search, parameter: Parameters): string {
  if (!putsFeaturedFirst(search)) return 'false';
  return `(s.featured_until > ${parameter('now', search.now)} and s.status = 'active') is true`;
}
