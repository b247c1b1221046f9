import type { PaymentRow } from '../../shared/premium/all-payments.ts';
import type { Result } from '../http/types.ts';

type Payment = Result<'listMyPayments', 200>['results'][number];

/** What buyers and administrators alike are told of a payment; the listing and the buyer each tells in its own way. */
export const presentOrder = (row: Pick<PaymentRow, OrderColumn>): Omit<Payment, 'listing'> => ({
  id: row.id,
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
});

type OrderColumn =
  | 'id'
  | 'plan'
  | 'duration_days'
  | 'amount_cents'
  | 'currency'
  | 'mode'
  | 'status'
  | 'problem'
  | 'created_at'
  | 'completed_at'
  | 'refunded_at';
