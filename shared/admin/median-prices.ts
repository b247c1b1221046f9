import type { Pool } from 'pg';

export type MedianPrice = { median_price: number | null; currency: string | null };

const NONE: MedianPrice = { median_price: null, currency: null };

/** What is for sale now at a price, in narrow rows: `listing_prices` holds what was sold or has expired as well. */
export const offeredPrices = `
  select p.category_id, p.currency, p.price, p.brand, p.year, p.length_m from listing_prices p
  where p.expired_at is null and not exists (select from listings s where s.status = 'sold' and s.id = p.listing_id)`;

const medians = `
  select category_id, currency, count(*)::int as n, percentile_cont(0.5) within group (order by price) as median
  from (${offeredPrices}) as p where $1::text[] is null or category_id = any($1)
  group by grouping sets ((category_id, currency), (currency)) order by n desc, currency`;

/** The median asking price of categories, or of all, in the currency that most of their listings have; nothing is converted. */
export async function readMedianPrices(
  pool: Pool,
  categories: readonly string[] | null,
): Promise<{ ofAll: MedianPrice; byCategory: Map<string, MedianPrice> }> {
  const { rows } = await pool.query<{ category_id: string | null; currency: string; median: number }>({
    name: 'median-prices',
    text: medians,
    values: [categories],
  });
  let ofAll = NONE;
  const byCategory = new Map<string, MedianPrice>();
  for (const { category_id, currency, median } of rows) {
    const price = { median_price: Math.round(median * 100) / 100, currency };
    if (category_id === null && ofAll === NONE) ofAll = price;
    if (category_id !== null && !byCategory.has(category_id)) byCategory.set(category_id, price);
  }
  return { ofAll, byCategory };
}
