import type { Pool } from 'pg';
import type { SearchPool } from './search-pool.ts';
import type { ListingFilters } from './filters.ts';
import { countOtherFilters, sortsByMoney } from './postgres/conditions.ts';
import { canMergeCurrencies, planCurrencyMerge } from './postgres/currency-merge.ts';
import { canTerminateEarly, planEarlyTermination } from './postgres/early-termination.ts';
import { isSelective, planFilterFirst } from './postgres/filter-first.ts';
import { canScanInOrder, planOrderedScan } from './postgres/ordered-scan.ts';
import { isActiveOnly, nameStatement, putsFeaturedFirst } from './postgres/statement.ts';
import type { Search, Sort, Statement } from './postgres/statement.ts';
import { needsListing, planTextSearch, textQueryAt, type TextQuery } from './postgres/text-search.ts';
import { COUNT_LIMIT } from './postgres/total.ts';
import type { Correction } from './query/correct-words.ts';
import type { Position } from './query/position.ts';
import { effectiveQuery, searchWithRelaxation } from './query/search-with-relaxation.ts';

export { nowAtPosition } from './postgres/order.ts';
export type { Position } from './query/position.ts';
export type { Search, Sort, StatusScope } from './postgres/statement.ts';

/** The largest offset: pages beyond it are empty, since each would cost a scan up to it. */
export const MAX_OFFSET = 1_000_000;

/** A listing found, and where it stands. */
export type Hit = {
  id: string;
  featured: boolean;
  key: string | null;
  tier?: number;
  score?: string;
  cut?: string;
  cut_id?: string;
  favoured?: string | null;
};

/** One page; `total` counts the matches of all pages, `next` is the keyset position of the page after it, if there is one. */
export type SearchResult = {
  hits: readonly Hit[];
  total: number;
  next: Position | undefined;
  warnings: string[];
  /** How mistyped words were corrected; undefined when none was. */
  corrected?: Correction | undefined;
  /** The tsquery that was answered, relaxed where no listing has all words, as text. */
  effectiveQuery?: string | undefined;
  /** The text query that was answered; absent where no words were asked for. */
  textQuery?: TextQuery | undefined;
};

/** What a statement found: the hits of a page, one more after a position, and how many match; null where that was not counted. */
type Found = { hits: Hit[]; total: number | null };

/** The order that a search without an order of its own gets: `relevance` needs words to look for. */
export function effectiveSort(wish: Sort | undefined, fallback: Sort, q: string | undefined): Sort {
  const sort = wish ?? fallback;
  return sort === 'relevance' && q === undefined ? 'newest' : sort;
}

/**
 * Finds one page of listings. Words that no listing has are taken for mistyped where known ones differ by a letter, and a
 * warning says so. Totals are exact up to COUNT_LIMIT at least; behind a position the total is that of the first page.
 */
export async function searchListings(pool: SearchPool, search: Search): Promise<SearchResult> {
  if (search.filters.impossible) return { hits: [], total: 0, next: undefined, warnings: [] };
  if (search.filters.q !== undefined) return searchText(pool, search, search.filters.q);
  const part = withOneMore(search);
  if (canMergeCurrencies(search)) {
    const merged = await findMerged(pool, part);
    if (merged) return toPage(search, merged);
  }
  if (canScanInOrder(search)) return toPage(search, await run(pool, part, planOrderedScan(part)));
  if (isSelective(search)) return toPage(search, await run(pool, part, planFilterFirst(part)));
  return toPage(search, await findByPlan(pool, part));
}

/** What is merged from the scans of its currencies; undefined where they hold too few listings to fill the page. */
async function findMerged(pool: Pool, part: Search): Promise<Found | undefined> {
  if (part.offset + part.limit > MAX_MERGED || part.after?.key === null) return undefined;
  const found = await run(pool, part, planCurrencyMerge(part));
  return found.hits.length === part.limit ? found : undefined;
}

/** Later pages would scan as many listings of each currency. */
const MAX_MERGED = 1_000;

/** A full-text search: the first page relaxes its query as searchWithRelaxation does, and its cursor carries that query on. */
async function searchText(pool: SearchPool, search: Search, q: string): Promise<SearchResult> {
  const part = withOneMore(search);
  const find = async (asked: TextQuery) => {
    const early = canTerminateEarly(part, asked) ? await run(pool, part, planEarlyTermination(part, asked)) : undefined;
    const found = early && early.total !== null ? early : await run(pool, part, planTextSearch(part, asked));
    return toPage(search, found, asked);
  };
  if (search.after?.query !== undefined) {
    const asked = textQueryAt(search.after);
    return { ...(await find(asked)), textQuery: asked, effectiveQuery: effectiveQuery(asked) };
  }
  const { found, asked, warnings, corrected } = await searchWithRelaxation(pool, search, q, find);
  return { ...found, warnings, textQuery: asked, effectiveQuery: effectiveQuery(asked), corrected };
}

/**
 * Chooses the plan for a filter of unknown selectivity (a place, a time of change, numbers among attributes): filter-first while
 * its matches are soon sorted; of more, which are dense, an ordered scan finds a page.
 */
async function findByPlan(pool: Pool, search: Search): Promise<Found> {
  if (search.sort === 'random' || sortsByMoney(search))
    return capTotal(await run(pool, search, planFilterFirst(search)));
  const isKnownDense = search.after !== undefined && search.after.total >= COUNT_LIMIT;
  if (!isKnownDense) {
    const found = await run(pool, search, planFilterFirst(search, MAX_SORTED));
    if ((found.total ?? 0) < MAX_SORTED) return found;
  }
  if (search.sort === 'distance') return findNearest(pool, search);
  return { ...(await run(pool, search, planOrderedScan(search, { counted: false }))), total: COUNT_LIMIT };
}

/** Matches that are soon sorted. */
const MAX_SORTED = COUNT_LIMIT;

/**
 * Nearest neighbours among very many matches: the radius is doubled until a circle fills the page, and halved where it has more
 * matches than are soon sorted.
 */
async function findNearest(pool: Pool, search: Search): Promise<Found> {
  const { near } = search.filters;
  const whole = near?.radiusKm ?? 0;
  const seen = search.after?.seen ?? search.offset;
  const findWithin = async (radiusKm: number, maxMatches?: number) =>
    run(
      pool,
      search,
      planFilterFirst({ ...search, filters: { ...search.filters, near: near && { ...near, radiusKm } } }, maxMatches),
    );
  let [least, most] = [Number(search.after?.key ?? 0), whole];
  let radiusKm = Math.max(FIRST_CIRCLE_KM, 2 * least);
  while (radiusKm < most && most - least > MIN_STEP_KM) {
    const found = await findWithin(radiusKm, seen + MAX_NEAREST);
    const isCut = (found.total ?? 0) >= seen + MAX_NEAREST;
    if (!isCut && found.hits.length === search.limit) return { ...found, total: COUNT_LIMIT };
    if (isCut) most = radiusKm;
    else least = radiusKm;
    radiusKm = isCut ? (least + most) / 2 : Math.min(2 * radiusKm, (radiusKm + most) / 2);
  }
  // Very many in one place: all of them are sorted, and what is beyond when they do not fill the page.
  for (;;) {
    const found = await findWithin(most);
    if (found.hits.length === search.limit || most >= whole) return { ...found, total: COUNT_LIMIT };
    most = Math.min(2 * most, whole);
  }
}

/** A circle with as many more than the pages before had is too wide to sort. */
const MAX_NEAREST = 2_000;
const FIRST_CIRCLE_KM = 10;
const MIN_STEP_KM = 1;

const capTotal = (found: Found): Found => ({ ...found, total: Math.min(found.total ?? 0, COUNT_LIMIT) });

const isTooFar = ({ offset, limit }: Search) => offset + limit > MAX_OFFSET;

/**
 * One more listing than asked for tells whether another page follows; on pages by number the total does, and of those too far
 * it is all that is asked for.
 */
function withOneMore(search: Search): Search {
  if (isTooFar(search)) return { ...search, offset: 0, limit: 1 };
  return search.after ? { ...search, limit: search.limit + 1 } : search;
}

/** The page of what a statement found. */
export function toPage(search: Search, found: Found, asked: Partial<TextQuery> = {}): SearchResult {
  const { offset, limit, after } = search;
  const hits = isTooFar(search) ? [] : found.hits.slice(0, limit);
  const seen = (after?.seen ?? offset) + hits.length;
  const known = after ? after.total : (found.total ?? 0);
  const total = hits.length > 0 ? Math.max(known, seen) : known;
  const isCapped = total === seen && hits.length === limit && seen >= COUNT_LIMIT;
  const follows = after ? found.hits.length > limit : hits.length > 0 && (total > seen || isCapped);
  return {
    hits,
    total,
    next: follows ? toPosition(hits, search, { seen, total, ...asked }) : undefined,
    warnings: [],
  };
}

/** Where a page ends, as a cursor carries it. */
export function toPosition(
  hits: readonly Hit[],
  search: Search,
  { seen, total, all, relaxed, relaxedOnly, termWeights }: Pick<Position, 'seen' | 'total'> & Partial<TextQuery>,
): Position | undefined {
  const last = hits.at(-1);
  if (!last) return undefined;
  const { key, tier, score = '0', cut = '0', cut_id: cutId = '', favoured } = last;
  const hasPromoted = search.offset > 0 || search.after?.at !== undefined || hits[0]?.featured === true;
  const isTimely = search.sort === 'relevance' || (putsFeaturedFirst(search) && hasPromoted);
  return {
    id: last.id,
    key,
    featured: last.featured,
    rank: typeof tier === 'number' ? { tier, score, cut, cutId, favoured: favoured ?? undefined } : undefined,
    query: all,
    wide: relaxed,
    onlySome: relaxedOnly,
    weighed: termWeights,
    seed: search.sort === 'random' ? search.seed : undefined,
    at: isTimely ? search.now.toISOString() : undefined,
    seen,
    total,
  };
}

async function run(pool: Pool, search: Search, { text, values }: Statement): Promise<Found> {
  const name = isPrepared(search) ? nameStatement(text) : undefined;
  const { rows } = await pool.query<Hit & { id: string | null; total: number | null }>({ name, text, values });
  const hits = rows.filter((row): row is typeof row & Hit => row.id !== null);
  return { hits, total: rows[0]?.total ?? null };
}

/** Whether several filters are asked for that no list index includes, or one that is rare. */
const isManifold = (filters: ListingFilters) =>
  countOtherFilters(filters) > 1 || filters.bbox !== undefined || filters.updated_since !== undefined;

/** The first pages, by far the most read. */
const NEAR = 100;
const commonSorts = new Set<Sort>(['newest', 'relevance', 'price_asc', 'price_desc']);

/**
 * Whether the statements of a search are prepared, as those are that readers use all day. PostgreSQL keeps 0.3 MB per
 * connection for each; those of rare orders, of other statuses and of far pages are planned anew each time, which takes a few
 * milliseconds, so that no client can fill the memory with them.
 */
export function isPrepared(search: Search): boolean {
  const { after, filters, sort, offset, limit } = search;
  const isRare = after?.featured === true || (filters.q === undefined ? isManifold(filters) : needsListing(search));
  return isActiveOnly(search) && commonSorts.has(sort) && offset + limit <= NEAR && !isRare;
}
