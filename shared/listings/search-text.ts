import { fitsFilters } from './search-gather.ts';
import { isContinued, rowsBehind, type Position } from './search-keyset.ts';
import {
  allUnlessNull,
  createParameters,
  facets,
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

/** So many of the best matches are ranked by their text; those behind them follow newest first. */
const RANKED = 300;

/** Weights of D, C (description), B (tags, brand, model) and A (title). */
const WEIGHTS = `'{0.1, 0.2, 0.6, 1}'`;

const HALF_LIFE_SECONDS = 90 * 86_400;

/**
 * A page of the listings that have the words of `q`. `corrected` takes the place of `q` where the words typed were mistaken:
 * a tsquery as text. In the order `relevance` a match in the title comes before every other; among equals the text's rank and
 * freshness decide, half of the latter being lost in 90 days.
 */
export function findText(search: Search, corrected?: string): Statement {
  const parameter = createParameters();
  const query = queryOf(search, parameter, corrected);
  return search.sort === 'relevance' ? byRelevance(search, parameter, query) : byColumn(search, parameter, query);
}

/** The exact total of the same search alone. */
export function countText(search: Search, corrected?: string): Statement {
  const parameter = createParameters();
  const query = queryOf(search, parameter, corrected);
  const text = `select count(*)::int as total ${textMatches(search, parameter, query)}`;
  return { name: nameOf(search, 'count'), text, values: parameter.values };
}

/** The tsquery of the words looked for, or of what they were corrected to. */
export const queryOf = ({ filters }: Search, parameter: Parameters, corrected?: string) =>
  `(select coalesce(${parameter('corrected', corrected ?? null)}::tsquery, websearch_to_tsquery('quayside', ${parameter('q', filters.q)})))`;

function byRelevance(search: Search, parameter: Parameters, query: string): Statement {
  const { limit, offset, after } = search;
  // Whole pages, so that no page is half ranked.
  const ranked = limit * Math.ceil(RANKED / limit);
  const isRanked = after ? after.rank !== undefined && after.rank.tier >= 0 : offset < ranked;
  // One number to sort many hits by: promoted, then in the title, then newest.
  const place = `((${featured(search, parameter)})::int * 2 + (s.title @@ ${query})::int) * 1e11::double precision + date_part('epoch', s.sort_at)`;
  const hits = `hits as materialized (select s.listing_id as id, ${place} as place ${textMatches(search, parameter, query)})`;
  const first = `order by hits.place desc, hits.id desc`;
  const further = (condition: string) =>
    `select hits.id, hits.place, -1::double precision as tier, 0::double precision as score, 0::double precision as cut, '' as cut_id from hits ${condition} ${first}`;
  const best = () =>
    `best as materialized (select hits.id, hits.place, floor(hits.place / 1e11) as tier, ${scoreOf(search, parameter, query)} as score
      from (select * from hits ${among(search, ranked, first, parameter)}) as hits join listing_search s on s.listing_id = hits.id)`;
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
  return {
    name: nameOf(search, isRanked ? 'relevance' : 'beyond'),
    text: selectCards(
      [hits, ...(isRanked ? [best()] : []), page].join(', '),
      order('page'),
      totalOf(search),
      search,
      parameter,
      `false as is_featured, page.place::text as key, page.tier, page.score::text as score, page.cut::text as cut, page.cut_id`,
    ),
    values: parameter.values,
  };
}

/** The hits that are ranked: the first, or those that were the first when the first page was read, and whatever is like them. */
function among(search: Search, ranked: number, first: string, parameter: Parameters): string {
  const rank = search.after?.rank;
  if (!rank) return `${first} limit ${parameter('ranked', ranked)}`;
  return `where (hits.place, hits.id) >= (${parameter('cut', rank.cut)}::double precision, ${parameter('cut-id', rank.cutId)}::text)`;
}

function scoreOf({ now }: Search, parameter: Parameters, query: string): string {
  const age = `greatest(0, date_part('epoch', ${parameter('hour', startOfHour(now))}::timestamptz - s.sort_at))`;
  return `ts_rank(${WEIGHTS}, s.words, ${query}, 1) * (0.5 + 0.5 * exp(${age} / ${-HALF_LIFE_SECONDS / Math.LN2}))`;
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

const totalOf = (search: Search) => (isContinued(search) ? 'null::int' : '(select count(*)::int from hits)');

function byColumn(search: Search, parameter: Parameters, query: string): Statement {
  const { key, direction } = orderOf(search, parameter);
  const column = needsListing(search) ? key : key.replace('l.id', 's.listing_id').replace('l.', 's.');
  const hits = `hits as materialized (select s.listing_id as id, ${column} as key, ${featured(search, parameter)} as featured ${textMatches(search, parameter, query)})`;
  const order = (table: string) =>
    orderBy(`${table}.key`, `${table}.id`, direction).replace('order by', `order by ${table}.featured desc,`);
  const follows = isContinued(search) ? `where ${rowsBehind(search, 'hits', parameter)}` : '';
  const page = `page as (${limitPage(`select * from hits ${follows} ${order('hits')}`, search, parameter)})`;
  return {
    name: nameOf(search, search.sort),
    text: selectCards(`${hits}, ${page}`, order('page'), totalOf(search), search, parameter),
    values: parameter.values,
  };
}

const nameOf = (search: Search, what: string) => {
  const { filters, after } = search;
  const flags = [
    needsListing(search) ? 'joined' : 'narrow',
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
  const categories = `s.category_id = any(${parameter('categories', search.filters.categoryIds ?? null)}::text[])`;
  const others = allUnlessNull([categories, ...facets(search.filters, parameter, { table: 's', build: false })]);
  return `from ${from} where ${[...scope, others].join(' and ')}`;
}

function featured(search: Search, parameter: Parameters): string {
  if (!putsFeaturedFirst(search)) return 'false';
  return `(s.featured_until > ${parameter('now', search.now)} and s.status = 'active') is true`;
}

/** Scores that age by the hour keep their order from one page to the next. */
function startOfHour(now: Date): Date {
  return new Date(now.getTime() - (now.getTime() % 3_600_000));
}
