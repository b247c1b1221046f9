import { createParameters, isActiveOnly, type Parameters, type Search, type Statement } from './search-sql.ts';
import {
  fullOf,
  isFiltered,
  needsListing,
  placeOf,
  rankedOf,
  rankHits,
  sortHits,
  textMatches,
  type Asked,
} from './search-text.ts';
import { COUNT_LIMIT } from './total.ts';

/** From about so many matches on, looking for the best costs less than looking at all. */
const CROWD = 30_000;
/** So many of the newest listings are looked through for words that stand anywhere in them. */
const LOOKED_THROUGH = 10_000;
/** So many matches are counted where each has to be read, because words have to stand together. */
const MAX_READ = 10_000;
/** Pages behind are rarely read. */
const NEAR = 100;

/** Whether findInCrowd finds a page for less: a first one of words alone that many listings have, the newest or most relevant first. */
export const isCrowd = (search: Search, { about = 0, wide }: Asked): boolean =>
  about >= CROWD &&
  wide === undefined &&
  (search.sort === 'relevance' || search.sort === 'newest') &&
  search.after === undefined &&
  search.offset + search.limit <= NEAR &&
  isActiveOnly(search) &&
  !isFiltered(search.filters) &&
  !needsListing(search);

/**
 * The same page as findText gives, from indexes that have the newest listings and the words of titles, so that only the total
 * looks at all matches. It is null where those turned out to be too few. Without a name, so that it is planned for its bounds.
 */
export function findInCrowd(search: Search, asked: Asked, through = LOOKED_THROUGH): Omit<Statement, 'name'> {
  const find = search.sort === 'relevance' ? mostRelevant : newest;
  const { text, values } = find(search, createParameters(), asked, newestListings(through));
  return { text, values };
}

const NEWEST = 'order by s.sort_at desc, s.listing_id desc';
const isActive = `s.status = 'active'`;
const newestListings = (most: number) =>
  `(select * from listing_search s where ${isActive} ${NEWEST} limit ${most}) as s`;

/**
 * Promoted listings; the newest with the words in the title, of all listings when they are rare among the newest; and, if these
 * are not enough, the newest with the words elsewhere.
 */
function mostRelevant(search: Search, parameter: Parameters, asked: Asked, lookedThrough: string): Statement {
  const columns = placeOf(search, parameter, asked)(true);
  const { promoted, isPromoted, words } = partsOf(search, parameter, asked, columns);
  const isTitled = `s.title @@ ${fullOf(asked, parameter)}`;
  const wanted = `${parameter('ranked', rankedOf(search))}::int`;
  const isShort = (table: string) => `(select count(*) from ${table}) < ${wanted}`;
  const hits = `${promoted},
    newly_titled as materialized (select ${columns} from ${lookedThrough} where not ${isPromoted} and ${isTitled} limit ${wanted}),
    ever_titled as materialized (select ${columns} from listing_search s
      where ${isShort('newly_titled')} and ${isActive} and ${isTitled} and not ${isPromoted}),
    titled as materialized (select * from newly_titled where not ${isShort('newly_titled')} union all select * from ever_titled),
    others as materialized (select ${columns} from ${lookedThrough}
      where ${isShort('titled')} and not ${isPromoted} and not ${isTitled} and ${words} limit ${wanted}),
    hits as materialized (select * from promoted union all select * from titled union all select * from others),
    ${counted(search, parameter, asked)}`;
  return rankHits(search, parameter, asked, hits, totalIfEnough(wanted));
}

/** Promoted listings, then the newest with the words. */
function newest(search: Search, parameter: Parameters, asked: Asked, lookedThrough: string): Statement {
  const columns = 's.listing_id as id, s.sort_at as key';
  const { promoted, isPromoted, words } = partsOf(search, parameter, asked, `${columns}, true as featured`);
  const wanted = `${parameter('wanted', search.offset + search.limit)}::int`;
  const hits = `${promoted},
    others as materialized (select ${columns}, false as featured from ${lookedThrough}
      where not ${isPromoted} and ${words} limit ${wanted}),
    hits as materialized (select * from promoted union all select * from others),
    ${counted(search, parameter, asked)}`;
  return sortHits(search, parameter, asked, hits, totalIfEnough(wanted));
}

function partsOf({ now }: Search, parameter: Parameters, asked: Asked, columns: string) {
  const isPromoted = `(s.featured_until > ${parameter('now', now)}) is true`;
  const words = `searchable(s.words) @@ ${fullOf(asked, parameter)}`;
  const promoted = `promoted as materialized (select ${columns} from listing_search s
      where ${isActive} and s.featured_until > ${parameter('now', now)} and ${words})`;
  return { promoted, isPromoted, words };
}

/** The total, as far as it is counted. */
function counted(search: Search, parameter: Parameters, asked: Asked): string {
  const most = asked.query.includes('<') ? MAX_READ : COUNT_LIMIT;
  return `counted as materialized (select count(*)::int as n from (
      select ${textMatches(search, parameter, fullOf(asked, parameter))} limit ${parameter('count-limit', most)}) as found)`;
}

const totalIfEnough = (wanted: string) =>
  `(select n from counted where (select count(*) from hits) >= least(${wanted}, n))`;
