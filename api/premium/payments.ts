import type { Selectable } from 'kysely';
import type { Payments } from '../../db/types.gen.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Result } from '../http/types.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { presentOrder } from './present-order.ts';

type Payment = Result<'listMyPayments', 200>['results'][number];

/** One page of what the caller has ordered, newest first: paid, given back, or never paid. */
export const listMyPayments: AuthenticatedHandler<'listMyPayments'> = async ({ db }, { query, caller }) => {
  const { page = 1, limit = 20 } = query;
  const own = db.selectFrom('payments').where('user_id', '=', caller.userId);
  const [rows, { total }] = await Promise.all([
    own
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit)
      .execute(),
    own.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  const pagination = paginationOf(page, limit, total);
  return { status: 200, body: { results: rows.map(presentPayment), pagination } };
};

const presentPayment = (row: Selectable<Payments>): Payment => ({
  ...presentOrder(row),
  listing: { id: row.listing_id, title: row.listing_title, slug: row.listing_slug },
});
