import { findPayment, findPayments, sumRevenue, type PaymentRow } from '../../shared/premium/all-payments.ts';
import { giveBack } from '../../shared/premium/refund.ts';
import { notFound } from '../../shared/kit/errors.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import { presentOrder } from '../premium/present-order.ts';

type Payment = Result<'refundOrder', 200>;

/** Everybody's payments, newest first, one page of them. */
export const listAllPayments: Handler<'listAllPayments'> = async ({ db }, { query }) => {
  const { q, status, page = 1, limit = 20 } = query;
  const { rows, total } = await findPayments(db, { q, status, offset: (page - 1) * limit, limit });
  return {
    status: 200,
    body: { results: rows.map(presentPaymentOfAll), pagination: paginationOf(page, limit, total) },
  };
};

/** What was paid and given back, by month. */
export const getRevenue: Handler<'getRevenue'> = async ({ db, payments, clock }, { query: { months = 12 } }) => ({
  status: 200,
  body: { mode: payments.mode, months: await sumRevenue(db, { mode: payments.mode, months, now: clock.now() }) },
});

/** Gives a payment back through its provider, and ends what it has paid for. */
export const refundOrder: Handler<'refundOrder'> = async (services, { params }) => {
  const { id, listing_id: listing } = await giveBack(services, params.paymentId);
  const row = await findPayment(services.db, id);
  if (!row) throw notFound('payment', id);
  return { status: 200, body: presentPaymentOfAll(row), effects: { changed: { listings: [listing] } } };
};

const presentPaymentOfAll = (row: PaymentRow): Payment => ({
  ...presentOrder(row),
  listing: { id: row.listing_id, title: row.listing_title },
  buyer: { id: row.user_id, name: row.user_name, email: row.user_email },
  reference: row.payment_intent,
});
