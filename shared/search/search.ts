import type { SearchPool } from './search-pool.ts';
import { cardTypes, type CardRow } from '../listings/card.ts';
import { findInCrowd, isCrowd } from './search-crowd.ts';
import { countGathered, gather, mayBeMany } from './search-gather.ts';
import type { Position } from './search-position.ts';
import { isActiveOnly, putsFeaturedFirst, type Search, type Sort, type Statement } from './search-sql.ts';
import { lookedFor, seekWords } from './search-seek.ts';
import { countText, findText, type Asked } from './search-text.ts';
import { canWalk, countWalk, walk } from './search-walk.ts';
import { COUNT_LIMIT } from './total.ts';

export { nowBehind } from './search-keyset.ts';
export type { Position } from './search-position.ts';
export type { Search, Sort, StatusScope } from './search-sql.ts';

/** Pages that begin behind so many listings are empty: no reader goes there, and each would cost a walk to it. */
export const DEEPEST_LISTING = 1_000_000;

/** A listing found; `distance_km` when a place to be near was asked for. */
export type FoundRow = CardRow & { distance_km?: number };

/** One page; `total` counts the matches of all pages, `next` is where to go on when there are more. */
export type Found = {
  rows: FoundRow[];
  total: number;
  next: Position | undefined;
  warnings: string[];
  /** What was looked for in place of mistyped words: a tsquery as text. */
  corrected?: string | undefined;
  /** What was looked for, or what most of the words were where no listing has them all: a tsquery as text. */
  looked?: string | undefined;
  /** All that the listings found answer, where PostgreSQL has looked for words. */
  asked?: Asked | undefined;
};

/** What the statements select: a card, and where it stands in the order. */
type Row = FoundRow & {
  total: number | null;
  is_featured: boolean;
  key: string | null;
  tier?: number;
  score?: string;
  cut?: string;
  cut_id?: string;
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
export async function searchListings(pool: SearchPool, search: Search): Promise<Found> {
  if (search.filters.impossible) return { rows: [], total: 0, next: undefined, warnings: [] };
  if (search.filters.q !== undefined) return searchText(pool, search, search.filters.q);
  if (canWalk(search))
    return findPage(
      pool,
      search,
      (part) => walk(part),
      () => countWalk(search),
    );
  if (mayBeMany(search)) return searchMany(pool, search);
  return findPage(
    pool,
    search,
    (part) => gather(part),
    () => countGathered(search),
  );
}

/** Words are looked for as seekWords says; the next page has what the first one has looked for. */
async function searchText(pool: SearchPool, search: Search, q: string): Promise<Found> {
  const find = async (asked: Asked) =>
    (await findCrowdedPage(pool, search, asked)) ??
    (await findPage(
      pool,
      search,
      (part) => findText(part, asked),
      () => countText(search, asked),
      asked,
    ));
  if (search.after?.query !== undefined) {
    const { query, wide, onlySome, weighed } = search.after;
    const asked = { query, wide, onlySome, weighed };
    return { ...(await find(asked)), asked, looked: lookedFor(asked) };
  }
  const { found, asked, warnings, isCorrected } = await seekWords(pool, search, q, find);
  const corrected = isCorrected ? asked.query : undefined;
  return { ...found, warnings, asked, looked: lookedFor(asked), corrected };
}

/** A page of what very many listings have; undefined when it is better found among all of them. */
async function findCrowdedPage(pool: SearchPool, search: Search, asked: Asked): Promise<Found | undefined> {
  if (!isCrowd(search, asked)) return undefined;
  const { rows } = await pool.query<Row>({ ...findInCrowd(search, asked), types: cardTypes });
  const total = rows[0]?.total ?? undefined;
  return total === undefined ? undefined : pageOf(rows, search, total, asked);
}

/**
 * A place or a time of change may be anything from a harbour to half of all listings. The matches are counted first, by the
 * entries of an index: as long as the count is exact they are gathered and sorted, and so are those sorted by what no single
 * index has; very many are met soon enough by walking in the order asked for.
 */
async function searchMany(pool: SearchPool, search: Search): Promise<Found> {
  const total = search.after?.total ?? (await countAlone(pool, countGathered(search), search));
  if (total === 0) return { rows: [], total, next: undefined, warnings: [] };
  const isByTime = search.sort === 'newest' || search.sort === 'oldest';
  const isDense = total >= COUNT_LIMIT && isByTime && search.filters.categoryIds === undefined;
  const statement = (part: Search) => (isDense ? walk(part, { counted: false }) : gather(part, { counted: false }));
  const find = (part: Search) => findPage(pool, part, statement, () => countGathered(search), {}, total);
  return search.sort === 'distance' && total >= COUNT_LIMIT ? searchOutwards(search, find) : find(search);
}

/** The nearest of very many are sought in a small circle first, then in larger ones until a page is full. */
async function searchOutwards(search: Search, find: (part: Search) => Promise<Found>): Promise<Found> {
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
  asked: Partial<Asked> = {},
  knownTotal?: number,
): Promise<Found> {
  const { offset, limit, after } = search;
  // One more listing than asked for tells whether another page follows; on pages by number the total does.
  const part = after ? { ...search, limit: limit + 1 } : search;
  const isTooFar = offset + limit > DEEPEST_LISTING;
  const found = isTooFar ? [] : await run<Row>(pool, part, page(part));
  const rows = found.slice(0, limit);
  if (after) {
    const seen = after.seen + rows.length;
    const total = Math.max(after.total, seen);
    const next = found.length > limit ? positionOf(rows, search, { seen, total, ...asked }) : undefined;
    return { rows, total, next, warnings: [] };
  }
  if (rows.length > 0) return pageOf(rows, search, rows[0]?.total ?? knownTotal ?? 0, asked);
  const total = offset === 0 ? 0 : (knownTotal ?? (await countAlone(pool, count(), search)));
  return { rows, total, next: undefined, warnings: [] };
}

/** A page by number that has listings, of so many. */
function pageOf(rows: FoundRow[], search: Search, counted: number, asked: Partial<Asked>): Found {
  const seen = search.offset + rows.length;
  const total = Math.max(counted, seen);
  const follows = total > seen || (rows.length === search.limit && seen >= COUNT_LIMIT);
  const next = follows ? positionOf(rows, search, { seen, total, ...asked }) : undefined;
  return { rows, total, next, warnings: [] };
}

/** Where a page ends, as a cursor carries it. */
export function positionOf(
  rows: readonly FoundRow[],
  search: Search,
  { seen, total, query, wide, onlySome, weighed }: Pick<Position, 'seen' | 'total'> & Partial<Asked>,
): Position | undefined {
  const last = rows.at(-1) as Row | undefined;
  if (!last) return undefined;
  const { key, tier, score = '0', cut = '0', cut_id: cutId = '' } = last;
  const hasPromoted = search.offset > 0 || search.after?.at !== undefined || (rows[0] as Row).is_featured;
  const isTimely = search.sort === 'relevance' || (putsFeaturedFirst(search) && hasPromoted);
  return {
    id: last.id,
    key,
    featured: last.is_featured,
    rank: tier === undefined ? undefined : { tier, score, cut, cutId },
    query,
    wide,
    onlySome,
    weighed,
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
  const isRare = after?.featured === true || filters.bbox !== undefined || filters.updatedSince !== undefined;
  return isActiveOnly(search) && commonSorts.has(sort) && offset + limit <= NEAR && !isRare;
}
