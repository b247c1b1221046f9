import type { Database } from '../../db/client.ts';
import { COUNT_LIMIT } from '../search/postgres/total.ts';
import { findTrader } from './traders.ts';
import { ratingOf } from '../reviews/rating.ts';

/** What everybody may know of a user, with the number of active listings (exact up to COUNT_LIMIT) and the rating; undefined for nobody and for a disabled account. */
export async function findPublicProfile(db: Database, id: string) {
  const user = await db
    .selectFrom('users')
    .select(['id', 'name', 'type', 'verified', 'created_at'])
    .select((build) =>
      build
        .selectFrom((inner) =>
          inner
            .selectFrom('listings')
            .select('listings.id')
            .where('seller_id', '=', id)
            .where('status', '=', 'active')
            .limit(COUNT_LIMIT)
            .as('active'),
        )
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('listing_count'),
    )
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (!user) return undefined;
  const trader = await findTrader(db, id);
  return {
    ...(trader && { trader }),
    ...user,
    listing_count: user.listing_count ?? 0,
    ...(await ratingOf(db, id)),
  };
}
