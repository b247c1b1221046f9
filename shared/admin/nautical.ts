import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS } from '../kit/clock.ts';
import { countOffered, type Counts } from './inventory.ts';
import { offeredPrices } from './median-prices.ts';

export type CountedRange = { from: number | null; to: number | null; count: number };
export type NauticalAnalytics = {
  total: number;
  by_category: Counts;
  by_country: Counts;
  priced: number;
  top_brands: { brand: string; count: number }[];
  by_year: CountedRange[];
  by_length_m: CountedRange[];
  price: {
    currency: string | null;
    sample_size: number;
    p25: number | null;
    median: number | null;
    p75: number | null;
  };
};

const BRANDS = 20;
const yearBounds = [1970, 1980, 1990, 2000, 2010, 2020];
const lengthBounds = [6, 9, 12, 15, 20];

/** What is on offer: all of it by category and country; what has a price by brand, year, length and price. */
export async function readNauticalAnalytics(pool: Pool): Promise<NauticalAnalytics> {
  const [places, brands, years, lengths, prices] = await Promise.all([
    countOffered(pool),
    pool.query<{ brand: string; count: number }>(
      `select brand, count(*)::int as count from (${offeredPrices}) as p where brand is not null group by 1 order by 2 desc, 1 limit ${BRANDS}`,
    ),
    countRanges(pool, 'year', yearBounds),
    countRanges(pool, 'length_m', lengthBounds),
    pool.query<{ currency: string; n: number; all: number; quartiles: number[] }>(
      `select currency, count(*)::int as n, (sum(count(*)) over ())::int as all,
         percentile_cont(array[0.25, 0.5, 0.75]) within group (order by price) as quartiles
       from (${offeredPrices}) as p group by 1 order by 2 desc, 1 limit 1`,
    ),
  ]);
  const [price] = prices.rows;
  const [p25 = null, median = null, p75 = null] = price?.quartiles ?? [];
  return {
    total: Object.values(places.by_category).reduce((sum, n) => sum + n, 0),
    ...places,
    priced: price?.all ?? 0,
    top_brands: brands.rows,
    by_year: years,
    by_length_m: lengths,
    price: { currency: price?.currency ?? null, sample_size: price?.n ?? 0, p25, median, p75 },
  };
}

async function countRanges(
  pool: Pool,
  column: 'year' | 'length_m',
  bounds: readonly number[],
): Promise<CountedRange[]> {
  const { rows } = await pool.query<{ range: number; count: number }>(
    `select width_bucket(${column}::float8, $1::float8[]) as range, count(*)::int as count
     from (${offeredPrices}) as p where ${column} is not null group by 1`,
    [bounds],
  );
  const counts = new Map(rows.map(({ range, count }) => [range, count]));
  return [null, ...bounds].map((from, range) => ({ from, to: bounds[range] ?? null, count: counts.get(range) ?? 0 }));
}

type Statuses = Record<
  'draft' | 'active' | 'paused' | 'sold' | 'expired' | 'flagged' | 'deleted' | 'suspended',
  number
>;
type Runs = Record<
  | 'total'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'pages_fetched'
  | 'records_found'
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'skipped'
  | 'failed_records',
  number
>;
export type ScrapeStats = {
  listings: { total: number; by_status: Statuses };
  freshness: Record<'under_24_hours' | 'under_7_days' | 'under_30_days' | 'over_60_days', number>;
  scrapers: { total: number; enabled: number; running: number };
  runs: Runs;
  by_site: { site: string; listings: number; active: number; last_scraped_at: Date; new_7_days: number }[];
};

const SITES = 100;
const RUN_DAYS = 30;

/** Scraped listings by status, site and when their page was last seen, and the runs of the last 30 days. */
export async function readScrapeStats(pool: Pool, now: Date): Promise<ScrapeStats> {
  const ago = (days: number) => addMilliseconds(now, -days * DAY_MS);
  const [statuses, freshness, scrapers, runs, sites] = await Promise.all([
    pool.query<{ status: keyof Statuses; n: number }>(
      `select status, count(*)::int as n from listings where source = 'scraped' group by 1`,
    ),
    pool.query<ScrapeStats['freshness']>(
      `select count(*) filter (where seen > $1)::int as under_24_hours, count(*) filter (where seen > $2)::int as under_7_days,
         count(*) filter (where seen > $3)::int as under_30_days, count(*) filter (where seen <= $4)::int as over_60_days
       from (select greatest(scraped_at, last_verified_at) as seen from listing_sources) as s`,
      [ago(1), ago(7), ago(30), ago(60)],
    ),
    pool.query<ScrapeStats['scrapers']>(
      `select count(*)::int as total, count(*) filter (where enabled)::int as enabled,
         (select count(*)::int from runs where kind = 'scraper' and status = 'running') as running from scrapers`,
    ),
    pool.query<Runs>(
      `select count(*)::int as total, ${['succeeded', 'failed', 'cancelled'].map((status) => `count(*) filter (where status = '${status}')::int as ${status}`).join(', ')},
         ${['pages_fetched', 'records_found', 'created', 'updated', 'unchanged', 'skipped'].map((name) => `coalesce(sum((counters ->> '${name}')::int), 0)::int as ${name}`).join(', ')},
         coalesce(sum((counters ->> 'failed')::int), 0)::int as failed_records
       from runs where kind = 'scraper' and created_at >= $1`,
      [ago(RUN_DAYS)],
    ),
    pool.query<ScrapeStats['by_site'][number]>(
      `select s.site, count(*)::int as listings, count(*) filter (where l.status = 'active')::int as active,
         max(s.scraped_at) as last_scraped_at, count(*) filter (where s.first_seen_at > $1)::int as new_7_days
       from listing_sources s join listings l on l.id = s.listing_id group by 1 order by 2 desc, 1 limit ${SITES}`,
      [ago(7)],
    ),
  ]);
  const byStatus: Statuses = {
    draft: 0,
    active: 0,
    paused: 0,
    sold: 0,
    expired: 0,
    flagged: 0,
    deleted: 0,
    suspended: 0,
  };
  for (const { status, n } of statuses.rows) byStatus[status] = n;
  return {
    listings: { total: Object.values(byStatus).reduce((sum, n) => sum + n, 0), by_status: byStatus },
    freshness: freshness.rows[0]!,
    scrapers: scrapers.rows[0]!,
    runs: runs.rows[0]!,
    by_site: sites.rows,
  };
}
