import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS } from '../kit/clock.ts';
import { dayOf } from '../kit/clock.ts';
import { readMedianPrices } from './median-prices.ts';

export type KpiFigures = {
  listings_active: number;
  new_listings: number;
  views: number;
  contacts: number;
  sold: number;
  median_price: number | null;
  currency: string | null;
  median_days_to_sell: number | null;
};
type Counted = 'new_listings' | 'views' | 'contacts' | 'sold';
type KpiDay = { date: string } & Record<Counted, number>;
export type Kpis = {
  totals: KpiFigures;
  by_category: ({ category: string } & KpiFigures)[];
  by_day: KpiDay[];
};

const dayIn = (column: string) => `(${column} at time zone 'UTC')::date`;

/** What is counted by category and day since $1, where $2 names categories or is null. */
const happened = `
  select 'new_listings' as figure, category_id, ${dayIn('created_at')} as day, count(*)::int as n
  from listings where created_at >= $1 and status <> 'deleted' and ($2::text[] is null or category_id = any($2)) group by 2, 3
  union all
  select 'sold', category_id, ${dayIn('sold_at')}, count(*)::int
  from listings where status = 'sold' and sold_at >= $1 and ($2::text[] is null or category_id = any($2)) group by 2, 3
  union all
  select 'views', category_id, day, views
  from category_view_days where day >= ${dayIn('$1::timestamptz')} and ($2::text[] is null or category_id = any($2))
  union all
  select 'contacts', category_id, ${dayIn('created_at')}, count(*)::int
  from contact_requests where created_at >= $1 and ($2::text[] is null or category_id = any($2)) group by 2, 3
  union all
  select 'contacts', l.category_id, ${dayIn('c.created_at')}, count(*)::int
  from conversations c join listings l on l.id = c.listing_id
  where c.created_at >= $1 and ($2::text[] is null or l.category_id = any($2)) group by 2, 3`;

const daysToSell = `
  select category_id, percentile_cont(0.5) within group (order by extract(epoch from sold_at - sort_at) / 86400) as median
  from listings where status = 'sold' and sold_at >= $1 and ($2::text[] is null or category_id = any($2))
  group by grouping sets ((category_id), ())`;

const active = `
  select category_id, sum(n)::int as n from (
    select category_id, n from listing_counts where status = 'active'
    union all select category_id, n from listing_count_deltas where status = 'active') as c
  where $1::text[] is null or category_id = any($1) group by category_id having sum(n) > 0`;

type Happened = { figure: Counted; category_id: string; day: string; n: number };

const nothing = (): KpiFigures => ({
  listings_active: 0,
  new_listings: 0,
  views: 0,
  contacts: 0,
  sold: 0,
  median_price: null,
  currency: null,
  median_days_to_sell: null,
});

/**
 * The key figures of the last `days` days (UTC), today included, of some categories or of all: the sums, each category that has
 * something to tell, and every day, the oldest first.
 */
export async function readKpis(
  pool: Pool,
  { days, now, categories = null }: { days: number; now: Date; categories?: readonly string[] | null },
): Promise<Kpis> {
  const dates = Array.from({ length: days }, (_, n) => dayOf(addMilliseconds(now, (n + 1 - days) * DAY_MS)));
  const from = new Date(`${dates[0]}T00:00:00.000Z`);
  const [events, sales, counts, prices] = await Promise.all([
    pool.query<Happened>({ name: 'kpi-events', text: happened, values: [from, categories] }),
    pool.query<{ category_id: string | null; median: number | null }>({
      name: 'kpi-days-to-sell',
      text: daysToSell,
      values: [from, categories],
    }),
    pool.query<{ category_id: string; n: number }>({ name: 'kpi-active', text: active, values: [categories] }),
    readMedianPrices(pool, categories),
  ]);
  const totals = nothing();
  const byCategory = new Map<string, KpiFigures>();
  const byDay = new Map(dates.map((date) => [date, { date, new_listings: 0, views: 0, contacts: 0, sold: 0 }]));
  const of = (category: string) => {
    const figures = byCategory.get(category) ?? nothing();
    byCategory.set(category, figures);
    return figures;
  };
  for (const { figure, category_id, day, n } of events.rows) {
    for (const figures of [totals, of(category_id), byDay.get(day)]) if (figures) figures[figure] += n;
  }
  for (const { category_id, n } of counts.rows) {
    for (const figures of [totals, of(category_id)]) figures.listings_active += n;
  }
  for (const { category_id, median } of sales.rows) {
    const figures = category_id === null ? totals : of(category_id);
    figures.median_days_to_sell = median === null ? null : round(median);
  }
  Object.assign(totals, prices.ofAll);
  for (const [category, price] of prices.byCategory) Object.assign(of(category), price);
  return {
    totals,
    by_category: [...byCategory]
      .map(([category, figures]) => ({ category, ...figures }))
      .toSorted((a, b) => b.listings_active - a.listings_active || (a.category < b.category ? -1 : 1)),
    by_day: [...byDay.values()],
  };
}

const round = (value: number) => Math.round(Math.max(0, value) * 10) / 10;
