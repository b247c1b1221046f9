import type { Pool } from 'pg';
import { cardColumns, cardJoins, cardTypes, type CardRow } from '../listings/card.ts';
import { MAX_OFFSET } from './search.ts';
import { COUNT_LIMIT } from './postgres/total.ts';

type PageQuery = { sellerId: string; statuses: readonly string[]; offset: number; limit: number; locale: string };

// One index scan per status, merged: a seller may have a whole site's listings, and none but those shown are read.
const page = `with page as (
    select w.id, w.sort_at from unnest($2::text[]) as s (status) cross join lateral (
      select l.id, l.sort_at from listings l where l.seller_id = $1 and l.status = s.status
      order by l.sort_at desc, l.id desc limit $3::int + $4::int) as w
    order by w.sort_at desc, w.id desc limit $3::int offset $4::int)
  select ${cardColumns} from page join listings l on l.id = page.id ${cardJoins('$5')} order by page.sort_at desc, page.id desc`;

const count = `select count(*)::int as total from (
    select 1 from listings where seller_id = $1 and status = any($2::text[]) limit $3::int) as counted`;

/** One page of a seller's listings in some statuses, newest first, and how many there are on all pages: exact up to COUNT_LIMIT. */
export async function findListingsOfSeller(
  pool: Pool,
  { sellerId, statuses, offset, limit, locale }: PageQuery,
): Promise<{ rows: CardRow[]; total: number }> {
  const counted = pool.query<{ total: number }>({
    name: 'listings-of-seller-count',
    text: count,
    values: [sellerId, statuses, COUNT_LIMIT],
  });
  const isTooFar = offset + limit > MAX_OFFSET;
  const shown = pool.query<CardRow>({
    name: 'listings-of-seller',
    text: page,
    values: [sellerId, isTooFar ? [] : statuses, limit, isTooFar ? 0 : offset, locale],
    types: cardTypes,
  });
  const [{ rows }, { rows: counts }] = await Promise.all([shown, counted]);
  return { rows, total: Math.max(counts[0]?.total ?? 0, rows.length === 0 ? 0 : offset + rows.length) };
}
