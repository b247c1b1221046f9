import { sql } from 'kysely';
import type { Box, Circle } from '../places/area.ts';
import {
  filters as table,
  type Filter,
  type FilterKind,
  type FilterName,
  type ListingFilters,
  type PriceRange,
} from '../search/filters.ts';
import type { AttributePart, Range } from '../search/filters-attributes.ts';
import { attributeTexts, toJsonPath } from '../search/postgres/conditions.ts';
import type { Tx } from '../queues/jobs.ts';
import { requiredWordsOf } from './required-words.ts';

type Wanted = {
  id: string;
  userId: string;
  /** The categories themselves: listings of those below them have them on their path. */
  categoryIds: readonly string[] | undefined;
  filters: ListingFilters;
  /** What mistyped words of `q` were corrected to, or the other ways to say its words: a tsquery as text. */
  corrected?: string | undefined;
};

/** Stores the filters of a saved search for reverse matching (percolation), in place of earlier ones. */
export async function storeFilters(tx: Tx, wanted: Wanted): Promise<void> {
  await removeFilters(tx, wanted.id);
  const { filters } = wanted;
  const words = filters.q === undefined ? null : await readWords(tx, filters.q, wanted.corrected);
  if (filters.impossible || words === '') return;
  const row = toRow(wanted, words);
  await tx
    .insertInto('saved_search_filters')
    .values(keysOf(wanted, words).map((key) => ({ ...row, key })))
    .execute();
}

/** Removes the filters of a search: nothing matches it any more. */
export async function removeFilters(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('saved_search_filters').where('saved_search_id', '=', id).execute();
}

/** The words looked for as text of a tsquery, empty when there are none; corrected ones are as good as those typed. */
async function readWords(tx: Tx, q: string, corrected: string | undefined): Promise<string> {
  const typed = sql`search_query(${q})`;
  const words = corrected === undefined ? typed : sql`${typed} || ${corrected}::tsquery`;
  const { rows } = await sql<{ words: string }>`select (${words})::text as words`.execute(tx);
  return rows[0]?.words ?? '';
}

function toRow({ id, userId, categoryIds, filters }: Wanted, words: string | null) {
  const columns = (table as readonly Filter[]).flatMap(({ name, kind, savedSearch }) => {
    const value = filters[name as FilterName];
    return savedSearch === undefined || value === undefined ? [] : Object.entries(toColumns(savedSearch, kind, value));
  });
  // The search itself looks for a part of a text only where no seller and no city has narrowed it down.
  const isNarrowed = filters.seller_id !== undefined || filters.city !== undefined;
  const [text, ...others] = (isNarrowed ? undefined : attributeTexts(filters)) ?? [];
  return {
    ...Object.fromEntries(columns),
    saved_search_id: id,
    user_id: userId,
    categories: categoryIds && [...categoryIds],
    unpriced: filters.price?.unpriced ?? false,
    attribute_text: others.length === 0 ? text?.toLowerCase() : undefined,
    words,
  };
}

/** The columns of a filter, after its row of the table. */
function toColumns(column: string, kind: FilterKind, value: unknown): Record<string, unknown> {
  switch (kind) {
    case 'text':
      return { [column]: sql`lower(${value})` };
    case 'range': {
      const { min, max } = value as Range;
      return { [`min_${column}`]: min, [`max_${column}`]: max };
    }
    case 'price': {
      const { min, max } = value as PriceRange;
      return { [`${column}_low`]: min, [`${column}_high`]: max };
    }
    case 'circle': {
      const { lat, lng, radiusKm } = value as Circle;
      return { [`${column}_lat`]: lat, [`${column}_lng`]: lng, [`${column}_km`]: radiusKm };
    }
    case 'box':
      return { ...(value as Box) };
    case 'attributes':
      return { [column]: toJsonPath(value as readonly AttributePart[]) };
    default:
      return { [column]: value };
  }
}

/**
 * The lookup keys of a saved search: every listing that matches has one of them, and they are as rare and few as can be
 * told. matchListings computes the same keys of a listing.
 */
function keysOf({ categoryIds, filters }: Pick<Wanted, 'categoryIds' | 'filters'>, words: string | null) {
  const { seller_id: sellers, city, country, price } = filters;
  const anchors = words === null ? undefined : requiredWordsOf(words);
  if (sellers && sellers.length <= MAX_KEYS) return sellers.map((seller) => `s:${seller}`);
  if (anchors && anchors.length <= MAX_KEYS) return [...new Set(anchors)].map((word) => `w:${word}`);
  if (city !== undefined) return [sql<string>`'c:' || lower(${city})`];
  let keys = ['k:'];
  // What would make too many keys is left to the conditions.
  for (const part of [categoryIds ?? ['*'], country ?? ['*'], bandsOf(price)]) {
    const values = keys.length * part.length <= MAX_KEYS ? part : ['*'];
    keys = keys.flatMap((key) => values.map((value) => `${key}${key === 'k:' ? '' : '/'}${value}`));
  }
  return keys;
}

/** A search is as many rows as it has keys. */
const MAX_KEYS = 6;

function bandsOf(price: ListingFilters['price']): (number | '*')[] {
  if (!price || price.unpriced || price.max === Number.POSITIVE_INFINITY) return ['*'];
  const [first, last] = [priceBand(price.min), priceBand(price.max)];
  if (last - first >= MAX_KEYS) return ['*'];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Price bands on a logarithmic scale: each reaches to twice the price of the one before. */
export const priceBand = (price: number) => Math.floor(Math.log2(Math.max(price, 1)));
