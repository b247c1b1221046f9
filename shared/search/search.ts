import type { SearchPool } from './search-pool.ts';
import { cardTypes, type CardRow } from '../listings/card.ts';
import { planEarlyTermination, canTerminateEarly } from './postgres/early-termination.ts';
import { countFilterFirst, planFilterFirst, isUnselective } from './postgres/filter-first.ts';
import { canMergeCurrencies, planCurrencyMerge } from './postgres/currency-merge.ts';
import type { Correction } from './query/correct-words.ts';
import type { Position } from './query/position.ts';
import { isActiveOnly, putsFeaturedFirst, type Search, type Sort, type Statement } from './postgres/statement.ts';
import { effectiveQuery, searchWithRelaxation } from './query/search-with-relaxation.ts';
import { countTextMatches, planTextSearch, textQueryAt, type TextQuery } from './postgres/text-search.ts';
import { canScanInOrder, countOrderedScan, planOrderedScan } from './postgres/ordered-scan.ts';
import { COUNT_LIMIT } from './postgres/total.ts';

export { nowAtPosition } from './postgres/keyset.ts';
export type { Position } from './query/position.ts';
export type { Search, Sort, StatusScope } from './postgres/statement.ts';

/** The largest offset: pages beyond it are empty, since each would cost a scan up to it. */
export const MAX_OFFSET = 1_000_000;

/** A listing found; `distance_km` when a place to be near was asked for. */
export type FoundRow = CardRow & { distance_km?: number };

/** One page; `total` counts the matches of all pages, `next` is the keyset position of the page after it, if there is one. */
export type SearchResult = {
  rows: FoundRow[];
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

/** What the statements select: a card with its sort key. */
type Row = FoundRow & {
  total: number | null;
  is_featured: boolean;
  key: string | null;
  tier?: number;
  score?: string;
  cut?: string;
  cut_id?: string;
  favoured?: string | null;
};

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
  if (search.filters.impossible) return { rows: [], total: 0, next: undefined, warnings: [] };
  if (search.filters.q !== undefined) return searchText(pool, search, search.filters.q);
  if (canMergeCurrencies(search)) {
    const page = await findMergedPage(pool, search);
    if (page) return page;
  }
  if (canScanInOrder(search))
    return findPage(
      pool,
      search,
      (part) => planOrderedScan(part),
      () => countOrderedScan(search),
    );
  if (isUnselective(search)) return searchMany(pool, search);
  return findPage(
    pool,
    search,
    (part) => planFilterFirst(part),
    () => countFilterFirst(search),
  );
}

/** A page merged from the scans of its currencies; undefined where they hold too few listings to fill it. */
async function findMergedPage(pool: SearchPool, search: Search): Promise<SearchResult | undefined> {
  const { offset, limit, after } = search;
  if (offset + limit > MAX_MERGED || after?.key === null) return undefined;
  const found = await findPage(pool, search, planCurrencyMerge, () => countOrderedScan(search));
  return (after ? found.next !== undefined : found.rows.length === limit) ? found : undefined;
}

/** Later pages would scan as many listings of each currency. */
const MAX_MERGED = 1_000;

/** A full-text search: the first page relaxes its query as searchWithRelaxation does, and its cursor carries that query on. */
async function searchText(pool: SearchPool, search: Search, q: string): Promise<SearchResult> {
  const find = async (asked: TextQuery) =>
    (await findPageEarly(pool, search, asked)) ??
    (await findPage(
      pool,
      search,
      (part) => planTextSearch(part, asked),
      () => countTextMatches(search, asked),
      asked,
    ));
  if (search.after?.query !== undefined) {
    const asked = textQueryAt(search.after);
    return { ...(await find(asked)), textQuery: asked, effectiveQuery: effectiveQuery(asked) };
  }
  const { found, asked, warnings, corrected } = await searchWithRelaxation(pool, search, q, find);
  return { ...found, warnings, textQuery: asked, effectiveQuery: effectiveQuery(asked), corrected };
}

/** A page by early termination, for common words; undefined where the full plan is cheaper or too few matches were met. */
async function findPageEarly(pool: SearchPool, search: Search, asked: TextQuery): Promise<SearchResult | undefined> {
  if (!canTerminateEarly(search, asked)) return undefined;
  const { rows } = await pool.query<Row>({ ...planEarlyTermination(search, asked), types: cardTypes });
  const total = rows[0]?.total ?? undefined;
  return total === undefined ? undefined : pageOf(rows, search, total, asked);
}

/**
 * Chooses the plan for a filter of unknown selectivity (a place, a time of change) by an index-only count of its matches: the
 * filter-first plan up to COUNT_LIMIT matches and for orders that no index has, an ordered index scan for more.
 */
async function searchMany(pool: SearchPool, search: Search): Promise<SearchResult> {
  const total = search.after?.total ?? (await countAlone(pool, countFilterFirst(search), search));
  if (total === 0) return { rows: [], total, next: undefined, warnings: [] };
  const isByTime = search.sort === 'newest' || search.sort === 'oldest';
  const isDense = total >= COUNT_LIMIT && isByTime && search.filters.category === undefined;
  const statement = (part: Search) =>
    isDense ? planOrderedScan(part, { counted: false }) : planFilterFirst(part, { counted: false });
  const find = (part: Search) => findPage(pool, part, statement, () => countFilterFirst(search), {}, total);
  return search.sort === 'distance' && total >= COUNT_LIMIT ? searchOutwards(search, find) : find(search);
}

/** Nearest neighbours among very many matches: circles of growing radius until a page is full. */
async function searchOutwards(search: Search, find: (part: Search) => Promise<SearchResult>): Promise<SearchResult> {
  const { near } = search.filters;
  if (!near) return find(search);
  for (
    let radiusKm = Math.max(FIRST_CIRCLE_KM, 2 * Number(search.after?.key ?? 0));
    radiusKm < near.radiusKm;
    radiusKm *= 8
  ) {
    const found = await find({ ...search, filters: { ...search.filters, near: { ...near, radiusKm } } });
    if (found.rows.length === search.limit && found.next) return found;
  }
  return find(search);
}

const FIRST_CIRCLE_KM = 25;

async function findPage(
  pool: SearchPool,
  search: Search,
  page: (part: Search) => Statement,
  count: () => Statement,
  asked: Partial<TextQuery> = {},
  knownTotal?: number,
): Promise<SearchResult> {
  const { offset, limit, after } = search;
  // One more listing than asked for tells whether another page follows; on pages by number the total does.
  const part = after ? { ...search, limit: limit + 1 } : search;
  const isTooFar = offset + limit > MAX_OFFSET;
  const found = isTooFar ? [] : await run<Row>(pool, part, page(part));
  const rows = found.slice(0, limit);
  if (after) {
    const seen = after.seen + rows.length;
    const total = Math.max(after.total, seen);
    const next = found.length > limit ? toPosition(rows, search, { seen, total, ...asked }) : undefined;
    return { rows, total, next, warnings: [] };
  }
  if (rows.length > 0) return pageOf(rows, search, rows[0]?.total ?? knownTotal ?? 0, asked);
  const total = offset === 0 ? 0 : (knownTotal ?? (await countAlone(pool, count(), search)));
  return { rows, total, next: undefined, warnings: [] };
}

/** A page by number that has listings, of so many. */
function pageOf(rows: FoundRow[], search: Search, counted: number, asked: Partial<TextQuery>): SearchResult {
  const seen = search.offset + rows.length;
  const total = Math.max(counted, seen);
  const follows = total > seen || (rows.length === search.limit && seen >= COUNT_LIMIT);
  const next = follows ? toPosition(rows, search, { seen, total, ...asked }) : undefined;
  return { rows, total, next, warnings: [] };
}

/** Where a page ends, as a cursor carries it. */
export function toPosition(
  rows: readonly FoundRow[],
  search: Search,
  { seen, total, all, relaxed, relaxedOnly, termWeights }: Pick<Position, 'seen' | 'total'> & Partial<TextQuery>,
): Position | undefined {
  const last = rows.at(-1) as Row | undefined;
  if (!last) return undefined;
  const { key, tier, score = '0', cut = '0', cut_id: cutId = '', favoured } = last;
  const hasPromoted = search.offset > 0 || search.after?.at !== undefined || (rows[0] as Row).is_featured;
  const isTimely = search.sort === 'relevance' || (putsFeaturedFirst(search) && hasPromoted);
  return {
    id: last.id,
    key,
    featured: last.is_featured,
    rank: tier === undefined ? undefined : { tier, score, cut, cutId, favoured: favoured ?? undefined },
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

async function countAlone(pool: SearchPool, statement: Statement, search: Search): Promise<number> {
  const [counted] = await run<{ total: number }>(pool, search, statement);
  return counted?.total ?? 0;
}

async function run<Found extends object>(
  pool: SearchPool,
  search: Search,
  { name, text, values }: Statement,
): Promise<Found[]> {
  const { rows } = await pool.query<Found>({
    name: isPrepared(search) ? name : undefined,
    text,
    values,
    types: cardTypes,
  });
  return rows;
}

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
  const isRare = after?.featured === true || filters.bbox !== undefined || filters.updated_since !== undefined;
  return isActiveOnly(search) && commonSorts.has(sort) && offset + limit <= NEAR && !isRare;
}
