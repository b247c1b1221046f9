import type { Pool } from 'pg';
import { cardColumns, cardJoins, cardTypes, type CardRow } from '../listings/card.ts';
import { MAX_OFFSET } from './search.ts';
import { COUNT_LIMIT } from './postgres/total.ts';

type PageQuery = {
  /** Of one seller, or of all. */
  sellerId: string | undefined;
  /** What expires until then; what is overdue, too. */
  until: Date;
  offset: number;
  limit: number;
  locale: string;
};

/** Scraped listings stay as long as their page shows them: their date means nothing. */
const expiring = (seller: string) =>
  `status in ('active', 'paused') and source <> 'scraped' and expires_at <= $1 ${seller}`;

const page = (seller: string) => `with page as (
    select id, expires_at from listings where ${expiring(seller)} order by expires_at, id limit $2::int offset $3::int)
  select ${cardColumns} from page join listings l on l.id = page.id ${cardJoins('$4')} order by page.expires_at, page.id`;

const count = (seller: string) =>
  `select count(*)::int as total from (select 1 from listings where ${expiring(seller)} limit $2::int) as counted`;

/** One page of the listings that expire by date, soonest first, with their number: exact up to COUNT_LIMIT. */
export async function findExpiringListings(
  pool: Pool,
  { sellerId, until, offset, limit, locale }: PageQuery,
): Promise<{ rows: CardRow[]; total: number }> {
  const whose = sellerId === undefined ? 'all' : 'own';
  const owner = sellerId === undefined ? [] : [sellerId];
  const isTooFar = offset + limit > MAX_OFFSET;
  const [{ rows }, { rows: counts }] = await Promise.all([
    pool.query<CardRow>({
      name: `expiring-${whose}`,
      text: page(sellerId === undefined ? '' : 'and seller_id = $5'),
      values: [until, isTooFar ? 0 : limit, isTooFar ? 0 : offset, locale, ...owner],
      types: cardTypes,
    }),
    pool.query<{ total: number }>({
      name: `expiring-${whose}-count`,
      text: count(sellerId === undefined ? '' : 'and seller_id = $3'),
      values: [until, COUNT_LIMIT, ...owner],
    }),
  ]);
  return { rows, total: counts[0]?.total ?? 0 };
}
