import { orderOf } from './order.ts';
import { rerankDepth, rerankHits } from './rerank.ts';
import {
  createParameters,
  isActiveOnly,
  type Parameters,
  type Search,
  type Sort,
  type Statement,
} from './statement.ts';
import {
  isFiltered,
  narrowFilters,
  needsListing,
  renderAllWords,
  selectPrerank,
  sortHits,
  textMatches,
  type TextQuery,
} from './text-search.ts';
import { COUNT_LIMIT } from './total.ts';

const sorts = new Set<Sort>(['relevance', 'newest', 'price_asc', 'price_desc']);
/** From about so many matches on, early termination costs less than reading all of them. */
const COMMON_FROM = 30_000;
/** How many of the newest, cheapest or dearest listings the scan reads before it gives up. */
const SCANNED = 10_000;
/** Titles are in the rows themselves: of them so many times as many are read before the index of titles is asked for all that match. */
const TITLES_TIMES = 10;
/** Later pages are rarely read. */
const NEAR = 100;

/**
 * Whether early termination pays: a first page of common words by relevance, time or price, with no other filters than the narrow
 * rows answer.
 */
export const canTerminateEarly = (search: Search, { estimatedMatches = 0, relaxed }: TextQuery): boolean =>
  estimatedMatches >= COMMON_FROM &&
  relaxed === undefined &&
  sorts.has(search.sort) &&
  search.after === undefined &&
  search.offset + search.limit <= NEAR &&
  isActiveOnly(search) &&
  !needsListing(search);

/**
 * Early termination for common words: builds a statement for the same page as planTextSearch, which scans the listings in the order
 * asked for (by relevance the newest, and the index of titles) until the page is full. Only the total reads matches beyond it, and
 * not for one word that the planner's statistics have three times as often as totals are counted to. Its `total` is null where the
 * scan ended with too few.
 */
export function planEarlyTermination(search: Search, asked: TextQuery, through = SCANNED): Statement {
  const parameter = createParameters();
  if (search.sort === 'relevance') return mostRelevant(search, parameter, asked, through);
  if (search.sort === 'newest') return newest(search, parameter, asked, newestListings(through));
  return byPrice(search, parameter, asked, through);
}

const NEWEST = 'order by s.sort_at desc, s.listing_id desc';
const isActive = `s.status = 'active'`;
const newestListings = (most: number) =>
  `(select * from listing_search s where ${isActive} ${NEWEST} limit ${most}) as s`;

/**
 * Promoted listings; the newest with the words in the title, of all listings when they are rare among the newest; and, if these
 * are not enough, the newest with the words elsewhere.
 */
function mostRelevant(search: Search, parameter: Parameters, asked: TextQuery, through: number): Statement {
  const columns = selectPrerank(search, parameter, asked)(true);
  const { promoted, isPromoted, isMatch } = partsOf(search, parameter, asked, columns);
  const fits = narrowConditions(search, parameter);
  const isTitled = `s.title @@ ${renderAllWords(asked, parameter)}`;
  const wanted = `${parameter('ranked', rerankDepth(search))}::int`;
  const isShort = (table: string) => `(select count(*) from ${table}) < ${wanted}`;
  const hits = `${promoted},
    newly_titled as materialized (select ${columns} from ${newestListings(through * TITLES_TIMES)} where not ${isPromoted} and ${isTitled}${fits} limit ${wanted}),
    ever_titled as materialized (select ${columns} from listing_search s
      where ${isShort('newly_titled')} and ${isActive} and ${isTitled} and not ${isPromoted}${fits}),
    titled as materialized (select * from newly_titled where not ${isShort('newly_titled')} union all select * from ever_titled),
    others as materialized (select ${columns} from ${newestListings(through)}
      where ${isShort('titled')} and not ${isPromoted} and not ${isTitled} and ${isMatch} limit ${wanted}),
    hits as materialized (select * from promoted union all select * from titled union all select * from others)${counted(search, parameter, asked)}`;
  return rerankHits(search, parameter, asked.termWeights, { hits, total: totalIfEnough(search, asked, wanted) });
}

/** Promoted listings, then the newest with the words. */
function newest(search: Search, parameter: Parameters, asked: TextQuery, scanned: string): Statement {
  const columns = 's.listing_id as id, s.sort_at as key';
  const { promoted, isPromoted, isMatch } = partsOf(search, parameter, asked, `${columns}, true as featured`);
  const wanted = `${parameter('wanted', search.offset + search.limit)}::int`;
  const hits = `${promoted},
    others as materialized (select ${columns}, false as featured from ${scanned}
      where not ${isPromoted} and ${isMatch} limit ${wanted}),
    hits as materialized (select * from promoted union all select * from others)${counted(search, parameter, asked)}`;
  return sortHits(search, parameter, hits, totalIfEnough(search, asked, wanted));
}

/** The cheapest or the dearest with the words. `offset 0` is a planner fence: another join would lose the order of the scan. */
function byPrice(search: Search, parameter: Parameters, asked: TextQuery, most: number): Statement {
  const { direction } = orderOf(search, parameter);
  const wanted = `${parameter('wanted', search.offset + search.limit)}::int`;
  const hits = `hits as materialized (select l.id, l.price_amount as key, false as featured
      from (select id, price_amount from listings where status = 'active' order by price_amount ${direction}, id ${direction} limit ${most}) as l
      cross join lateral (select from listing_search s where s.listing_id = l.id and ${renderMatch(search, parameter, asked)} offset 0) as s
      limit ${wanted})${counted(search, parameter, asked)}`;
  return sortHits(search, parameter, hits, totalIfEnough(search, asked, wanted));
}

function partsOf(search: Search, parameter: Parameters, asked: TextQuery, columns: string) {
  const { now } = search;
  const isPromoted = `(s.featured_until > ${parameter('now', now)}) is true`;
  const isMatch = renderMatch(search, parameter, asked);
  const promoted = `promoted as materialized (select ${columns} from listing_search s
      where ${isActive} and s.featured_until > ${parameter('now', now)} and ${isMatch})`;
  return { promoted, isPromoted, isMatch };
}

/** The filters as further conditions of the narrow rows s. */
const narrowConditions = ({ filters }: Search, parameter: Parameters) =>
  narrowFilters(filters, parameter)
    .map((condition) => ` and ${condition}`)
    .join('');

/** Whether a narrow row s has all words and fits the filters. */
const renderMatch = (search: Search, parameter: Parameters, asked: TextQuery) =>
  `searchable(s.words) @@ ${renderAllWords(asked, parameter)}${narrowConditions(search, parameter)}`;

/** Whether the planner's statistics tell that there are as many matches as totals are counted to: they know one word, and no filter. */
const isSurelyMany = ({ filters }: Search, { isOneWord }: TextQuery) => isOneWord === true && !isFiltered(filters);

/** Counts the matches as far as totals go, where statistics do not tell. */
function counted(search: Search, parameter: Parameters, asked: TextQuery): string {
  if (isSurelyMany(search, asked)) return '';
  return `,
    matching as materialized (select count(*)::int as n from (
      select ${textMatches(search, parameter, renderAllWords(asked, parameter))} limit ${parameter('count-limit', COUNT_LIMIT)}) as found)`;
}

/** The total, or null where the scan ended with too few. Of a filtered search nothing is counted then: all matches will be read. */
function totalIfEnough(search: Search, asked: TextQuery, wanted: string): string {
  const found = '(select count(*) from hits)';
  if (isSurelyMany(search, asked)) return `(select ${COUNT_LIMIT} where ${found} >= ${wanted})`;
  return `(select n from matching where ${found} >= ${isFiltered(search.filters) ? wanted : `least(${wanted}, n)`})`;
}
