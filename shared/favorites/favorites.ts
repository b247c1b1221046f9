import type { Pool } from 'pg';
import { isId } from '../kit/ids.ts';
import type { Tx } from '../queues/jobs.ts';
import { cardColumns, cardJoins, cardTypes, type CardRow } from '../listings/card.ts';
import { MAX_OFFSET, type StatusScope } from '../search/search.ts';
import { COUNT_LIMIT } from '../search/postgres/total.ts';

type Asked = {
  userId: string;
  listing: string | undefined;
  scope: StatusScope;
  offset: number;
  limit: number;
  locale: string;
};

const visible = `favorites f join listings l on l.id = f.listing_id
  where f.user_id = $1 and ($4::text is null or $4 in (l.id, l.slug))
    and (l.status = any($2::text[]) or (l.seller_id = $1 and l.status = any($3::text[])))`;

const page = `with page as (
    select f.listing_id as id, f.created_at from ${visible} order by f.created_at desc, f.listing_id desc limit $5::int offset $6::int)
  select ${cardColumns} from page join listings l on l.id = page.id ${cardJoins('$7')} order by page.created_at desc, page.id desc`;

const count = `select count(*)::int as total from (select 1 from ${visible} limit $5::int) as counted`;

/** One page of a user's favorites, of `listing` alone where that is given, in the statuses of a scope, last added first, and how many there are on all pages: exact up to COUNT_LIMIT. */
export async function findFavorites(
  pool: Pool,
  { userId, listing, scope, offset, limit, locale }: Asked,
): Promise<{ rows: CardRow[]; total: number }> {
  const scoped = [userId, scope.everyone, scope.own?.statuses ?? [], listing ?? null];
  const counted = pool.query<{ total: number }>({
    name: 'favorites-count',
    text: count,
    values: [...scoped, COUNT_LIMIT],
  });
  const isTooFar = offset + limit > MAX_OFFSET;
  const shown = pool.query<CardRow>({
    name: 'favorites',
    text: page,
    values: [...scoped, isTooFar ? 0 : limit, isTooFar ? 0 : offset, locale],
    types: cardTypes,
  });
  const [{ rows }, { rows: counts }] = await Promise.all([shown, counted]);
  return { rows, total: Math.max(counts[0]?.total ?? 0, rows.length === 0 ? 0 : offset + rows.length) };
}

/** A listing by id or slug, deleted ones too, kept from being removed until the transaction ends. */
export function lockFavoriteTarget(tx: Tx, idOrSlug: string) {
  return tx
    .selectFrom('listings')
    .select(['id', 'status', 'seller_id'])
    .where(isId('listing', idOrSlug) ? 'id' : 'slug', '=', idOrSlug)
    .forKeyShare()
    .executeTakeFirst();
}

/** Adds a listing to a user's favorites; one that is there keeps its place. */
export async function insertFavorite(tx: Tx, userId: string, listingId: string, now: Date): Promise<void> {
  await tx
    .insertInto('favorites')
    .values({ user_id: userId, listing_id: listingId, created_at: now })
    .onConflict((conflict) => conflict.columns(['user_id', 'listing_id']).doNothing())
    .execute();
}

/** Takes a listing from a user's favorites; false when it was none. */
export async function deleteFavorite(tx: Tx, userId: string, listingId: string): Promise<boolean> {
  const gone = await tx
    .deleteFrom('favorites')
    .where('user_id', '=', userId)
    .where('listing_id', '=', listingId)
    .returning('listing_id')
    .executeTakeFirst();
  return gone !== undefined;
}
