import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { addMilliseconds, DAY_MS } from '../kit/clock.ts';
import { escapeLike } from '../kit/like.ts';

export type PaymentRow = {
  id: string;
  listing_id: string;
  listing_title: string;
  user_id: string;
  user_name: string;
  user_email: string;
  plan: string;
  duration_days: number;
  amount_cents: number;
  currency: string;
  mode: string;
  status: string;
  problem: string | null;
  payment_intent: string | null;
  created_at: Date;
  completed_at: Date | null;
  refunded_at: Date | null;
};
export type RevenueRow = {
  month: string;
  currency: string;
  payments: number;
  paid_cents: number;
  refunds: number;
  refunded_cents: number;
};

const columns = sql`p.id, p.listing_id, p.listing_title, p.user_id, u.name as user_name, u.email as user_email, p.plan, p.duration_days,
  p.amount_cents, p.currency, p.mode, p.status, p.problem, p.payment_intent, p.created_at, p.completed_at, p.refunded_at`;

/** One page of everybody's payments, the newest first, and how many there are. */
export async function findPayments(
  db: Database,
  {
    q = '',
    status,
    offset,
    limit,
  }: { q?: string | undefined; status?: string | undefined; offset: number; limit: number },
): Promise<{ rows: PaymentRow[]; total: number }> {
  const pattern = `%${escapeLike(q.trim())}%`;
  const fits = sql`(${status ?? null}::text is null or p.status = ${status ?? null})
    and (${q.trim()} = '' or p.id = ${q.trim()} or p.listing_id = ${q.trim()} or p.listing_title ilike ${pattern}
      or lower(' ' || u.name || ' ' || u.email || ' ' || u.id) like ${pattern.toLowerCase()})`;
  const from = sql`payments p join users u on u.id = p.user_id where ${fits}`;
  const [{ rows }, { rows: counts }] = await Promise.all([
    sql<PaymentRow>`select ${columns} from ${from} order by p.created_at desc, p.id desc limit ${limit} offset ${offset}`.execute(
      db,
    ),
    sql<{ total: number }>`select count(*)::int as total from ${from}`.execute(db),
  ]);
  return { rows, total: counts[0]?.total ?? 0 };
}

/** One payment; undefined when there is none. */
export async function findPayment(db: Database, id: string): Promise<PaymentRow | undefined> {
  const { rows } = await sql<PaymentRow>`
    select ${columns} from payments p join users u on u.id = p.user_id where p.id = ${id}`.execute(db);
  return rows[0];
}

/** What was paid and given back in each month (UTC) since the first of the first of them, by currency; months without either are left out. */
export async function sumRevenue(
  db: Database,
  { mode, months, now }: { mode: string; months: number; now: Date },
): Promise<RevenueRow[]> {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1 - months, 1));
  const until = addMilliseconds(now, DAY_MS);
  const { rows } = await sql<RevenueRow>`
    with moved as (
      select completed_at as at, currency, amount_cents as paid, 0 as refunded from payments
      where mode = ${mode} and completed_at >= ${first} and completed_at < ${until}
      union all
      select refunded_at, currency, 0, amount_cents from payments
      where mode = ${mode} and completed_at is not null and refunded_at >= ${first} and refunded_at < ${until})
    select to_char(at at time zone 'UTC', 'YYYY-MM') as month, currency, count(*) filter (where refunded = 0)::int as payments,
      sum(paid)::float8 as paid_cents, count(*) filter (where refunded > 0)::int as refunds, sum(refunded)::float8 as refunded_cents
    from moved group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}
