import { sql } from 'kysely';
import type { ListingFilters } from '../search/filters.ts';
import type { Tx } from '../queues/jobs.ts';
import { requiredWordsOf } from './required-words.ts';

type Wanted = {
  id: string;
  userId: string;
  /** The category itself: listings of those below it have it on their path. */
  categoryId: string | undefined;
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

function toRow({ id, userId, categoryId, filters }: Wanted, words: string | null) {
  const { sellerId, city, country, condition, type, shipping, price, year, length, near, bbox } = filters;
  // The search itself looks for a part of a text only where no seller and no city has narrowed it down.
  const attributeText = sellerId === undefined && city === undefined ? filters.attributeText : undefined;
  return {
    saved_search_id: id,
    user_id: userId,
    category_id: categoryId,
    country,
    city: city === undefined ? undefined : sql<string>`lower(${city})`,
    seller_id: sellerId,
    condition,
    type,
    shipping,
    price_low: price?.min,
    price_high: price?.max,
    unpriced: price?.unpriced ?? false,
    min_year: year?.min,
    max_year: year?.max,
    min_length: length?.min,
    max_length: length?.max,
    near_lat: near?.lat,
    near_lng: near?.lng,
    near_km: near?.radiusKm,
    ...bbox,
    updated_since: filters.updatedSince,
    attribute_text: attributeText?.toLowerCase(),
    attributes: filters.attributes,
    words,
  };
}

/**
 * The lookup keys of a saved search: every listing that matches has one of them, and they are as rare and few as can be
 * told. matchListings computes the same keys of a listing.
 */
function keysOf({ categoryId = '*', filters }: Pick<Wanted, 'categoryId' | 'filters'>, words: string | null) {
  const { sellerId, city, country = '*', price } = filters;
  const anchors = words === null ? undefined : requiredWordsOf(words);
  if (sellerId !== undefined) return [`s:${sellerId}`];
  if (anchors && anchors.length <= MAX_KEYS) return [...new Set(anchors)].map((word) => `w:${word}`);
  if (city !== undefined) return [sql<string>`'c:' || lower(${city})`];
  return bandsOf(price).map((band) => `k:${categoryId}/${country}/${band}`);
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
