import type { Selectable } from 'kysely';
import type { Payments } from '../../db/types.gen.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Result } from '../http/types.ts';
import type { AuthenticatedHandler } from '../handler.ts';

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

function presentPayment(row: Selectable<Payments>): Payment {
  return {
    id: row.id,
    listing: { id: row.listing_id, title: row.listing_title, slug: row.listing_slug },
    plan: row.plan as Payment['plan'],
    duration: row.duration_days as Payment['duration'],
    amount_cents: row.amount_cents,
    currency: row.currency,
    mode: row.mode as Payment['mode'],
    status: row.status as Payment['status'],
    problem: row.problem as Payment['problem'],
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
    refunded_at: row.refunded_at?.toISOString() ?? null,
  };
}
