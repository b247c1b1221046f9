import { fitsFilters } from './search-gather.ts';
import {
  allUnlessNull,
  createParameters,
  facets,
  inScope,
  isActiveOnly,
  limitPage,
  orderBy,
  orderOf,
  putsFeaturedFirst,
  selectCards,
  type Parameters,
  type Search,
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
  const text = `select count(*)::int as total ${matches(search, parameter, query)}`;
  return { name: nameOf(search, 'count'), text, values: parameter.values };
}

const queryOf = ({ filters }: Search, parameter: Parameters, corrected?: string) =>
  `(select coalesce(${parameter('corrected', corrected ?? null)}::tsquery, websearch_to_tsquery('quayside', ${parameter('q', filters.q)})))`;

function byRelevance(search: Search, parameter: Parameters, query: string): Statement {
  const { limit, offset, now } = search;
  // Whole pages, so that no page is half ranked.
  const ranked = limit * Math.ceil(RANKED / limit);
  const isRanked = offset < ranked;
  // One number to sort many hits by: promoted, then in the title, then newest.
  const place = `((${featured(search, parameter)})::int * 2 + (s.title @@ ${query})::int) * 1e11::double precision + date_part('epoch', s.sort_at)`;
  const hits = `hits as materialized (select s.listing_id as id, ${place} as place ${matches(search, parameter, query)})`;
  const first = `order by hits.place desc, hits.id desc`;
  // Asked for only where it is used: PostgreSQL refuses a parameter that its statement does not mention.
  const best = () => {
    const age = `greatest(0, date_part('epoch', ${parameter('hour', startOfHour(now))}::timestamptz - s.sort_at))`;
    const score = `ts_rank(${WEIGHTS}, s.words, ${query}, 1) * (0.5 + 0.5 * exp(${age} / ${-HALF_LIFE_SECONDS / Math.LN2}))`;
    return `best as (select hits.id, hits.place, floor(hits.place / 1e11) as tier, ${score} as score
      from (select * from hits ${first} limit ${parameter('ranked', ranked)}) as hits join listing_search s on s.listing_id = hits.id)`;
  };
  const order = (table: string) =>
    `order by ${table}.tier desc, ${table}.score desc, ${table}.place desc, ${table}.id desc`;
  const page = isRanked
    ? `${best()}, page as (${limitPage(`select * from best ${order('best')}`, search, parameter)})`
    : `page as (select id, place, 0 as tier, 0 as score from (${limitPage(`select * from hits ${first}`, search, parameter)}) as further)`;
  return {
    name: nameOf(search, isRanked ? 'relevance' : 'beyond'),
    text: selectCards(`${hits}, ${page}`, order('page'), '(select count(*)::int from hits)', search, parameter),
    values: parameter.values,
  };
}

function byColumn(search: Search, parameter: Parameters, query: string): Statement {
  const { key, direction } = orderOf(search, parameter);
  const column = needsListing(search) ? key : key.replace('l.id', 's.listing_id').replace('l.', 's.');
  const hits = `hits as materialized (select s.listing_id as id, ${column} as key, ${featured(search, parameter)} as featured ${matches(search, parameter, query)})`;
  const order = (table: string) =>
    orderBy(`${table}.key`, `${table}.id`, direction).replace('order by', `order by ${table}.featured desc,`);
  const page = `page as (${limitPage(`select * from hits ${order('hits')}`, search, parameter)})`;
  const total = '(select count(*)::int from hits)';
  return {
    name: nameOf(search, search.sort),
    text: selectCards(`${hits}, ${page}`, order('page'), total, search, parameter),
    values: parameter.values,
  };
}

const nameOf = (search: Search, what: string) => {
  const scope = isActiveOnly(search) ? 'active' : search.scope.own ? 'own' : 'statuses';
  return `list-text-${what}-${needsListing(search) ? 'joined' : 'narrow'}-${scope}${putsFeaturedFirst(search) ? '-featured' : ''}`;
};

/** Whether a filter or the order needs columns that the narrow table of words does not have. */
function needsListing({ filters, scope, sort }: Search): boolean {
  const { sellerId, city, attributes, year, length } = filters;
  return (
    [sellerId, city, attributes, year, length, scope.own].some((filter) => filter !== undefined) ||
    sort === 'year_desc' ||
    sort === 'length_desc'
  );
}

function matches(search: Search, parameter: Parameters, query: string): string {
  const words = `searchable(s.words) @@ ${query}`;
  const active = isActiveOnly(search);
  // The indexes of words are two, for active listings and for all others.
  const halves = ['=', '<>'].map(
    (operator) => `select s.* from listing_search s where ${words} and s.status ${operator} 'active'`,
  );
  const from = active ? 'listing_search s' : `(${halves.join(' union all ')}) as s`;
  const scope = active ? [words, `s.status = 'active'`] : [inScope(search, parameter, 's')];
  if (needsListing(search)) {
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
