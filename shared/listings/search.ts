import type { Pool } from 'pg';
import { cardTypes, type CardRow } from './card.ts';
import { countGathered, gather } from './search-gather.ts';
import { isActiveOnly, type Search, type Sort, type Statement } from './search-sql.ts';
import { countText, findText } from './search-text.ts';
import { canWalk, countWalk, walk } from './search-walk.ts';
import { correctQuery } from './search-words.ts';

export type { Search, Sort, StatusScope } from './search-sql.ts';

/** Pages that begin behind so many listings are empty: no reader goes there, and each would cost a walk to it. */
export const DEEPEST_LISTING = 1_000_000;

/** One page; `total` counts the matches of all pages. */
export type Found = { rows: CardRow[]; total: number; warnings: string[] };

/** The order that a search without an order of its own gets: `relevance` needs words to look for. */
export function effectiveSort(wish: Sort | undefined, fallback: Sort, q: string | undefined): Sort {
  const sort = wish ?? fallback;
  return sort === 'relevance' && q === undefined ? 'newest' : sort;
}

/**
 * Finds one page of listings. Words that no listing has are taken for mistyped where known ones differ by a letter, and a
 * warning says so. Totals are exact up to COUNT_LIMIT at least.
 */
export async function searchListings(pool: Pool, search: Search): Promise<Found> {
  if (search.filters.impossible) return { rows: [], total: 0, warnings: [] };
  if (search.filters.q !== undefined) return searchText(pool, search, search.filters.q);
  if (canWalk(search))
    return findPage(
      pool,
      search,
      () => walk(search),
      () => countWalk(search),
    );
  return findPage(
    pool,
    search,
    () => gather(search),
    () => countGathered(search),
  );
}

async function searchText(pool: Pool, search: Search, q: string): Promise<Found> {
  const find = (corrected?: string) =>
    findPage(
      pool,
      search,
      () => findText(search, corrected),
      () => countText(search, corrected),
    );
  const found = await find();
  if (found.total > 0) return found;
  const { query, warning } = await correctQuery(pool, q);
  const warnings = warning === undefined ? [] : [warning];
  if (query === undefined) return { ...found, warnings };
  const corrected = await find(query);
  return corrected.total > 0 ? { ...corrected, warnings } : found;
}

async function findPage(pool: Pool, search: Search, page: () => Statement, count: () => Statement): Promise<Found> {
  const { offset, limit } = search;
  const rows =
    offset + limit > DEEPEST_LISTING ? [] : await run<CardRow & { total: number | null }>(pool, search, page());
  const [first] = rows;
  if (first) return { rows, total: Math.max(first.total ?? 0, offset + rows.length), warnings: [] };
  if (offset === 0) return { rows: [], total: 0, warnings: [] };
  const [counted] = await run<{ total: number }>(pool, search, count());
  return { rows: [], total: counted?.total ?? 0, warnings: [] };
}

async function run<Row extends object>(pool: Pool, search: Search, { name, text, values }: Statement): Promise<Row[]> {
  const { rows } = await pool.query<Row>({
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
  return isActiveOnly(search) && commonSorts.has(search.sort) && search.offset + search.limit <= NEAR;
}
