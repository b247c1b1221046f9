import type { Pool } from 'pg';
import type { Range } from '../search/filters-attributes.ts';
import { chooseComparables, ENOUGH, type ChosenComparables } from './choose-comparables.ts';
import {
  ATTRIBUTES_LEVEL,
  BRAND_LEVEL,
  droppableFilters,
  LAST_LEVEL,
  type DroppableFilter,
} from './filters-dropped.ts';
import {
  samplingKeyOf,
  findNearest,
  MAX_SAMPLING_KEY,
  measureComparables,
  sampledShare,
  type ComparableQuery,
} from './market-sql.ts';
import { toJsonPath } from '../search/postgres/conditions.ts';
import type { PriceSelection } from './selection.ts';

/** What the listings of a selection cost, in one currency; without any listing all numbers but the counts are null. */
export type Market = {
  currency: string | null;
  /** How many comparables the numbers come from: a duplicate group counts once. */
  sampleSize: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  median: number | null;
  percentiles: { p10: number | null; p25: number | null; p75: number | null; p90: number | null };
  /** Quartiles of the prices within one and a half interquartile ranges of the quartiles. */
  recommended: { low: number | null; fair: number | null; high: number | null };
  /** The filters that were dropped because too few listings passed them, in the order of dropping. */
  widened: string[];
  /** How many of them are below the price asked about, and how many equal to it. */
  below: number;
  equal: number;
  /** Ids of the listings that are nearest to what was asked for. */
  nearestIds: string[];
};

export type MarketOptions = {
  now: Date;
  price?: number;
  /** How many of the nearest listings to name: default none. */
  nearest?: number;
  showExpired?: boolean;
};

/** Expired listings count for so long. */
const EXPIRED_DAYS = 90;
const MAX_BRANDS = 1_000;
/** The nearest listings are looked for among about so many. */
const NEAREST_SAMPLE = 3_000;

/**
 * The statistics of what is offered, was sold (at the sale price, where it is known) or expired within 90 days. When fewer
 * than ENOUGH listings pass all filters, filters are dropped one after the other until enough do; never the category, never a
 * currency that was given. Reads the wide rows of listings for attributes beside brand, model, year and length only.
 */
export async function readMarket(pool: Pool, selection: PriceSelection, options: MarketOptions): Promise<Market> {
  const filters = droppableFilters(selection);
  let best: ChosenComparables | undefined;
  for (const query of await readQueries(pool, selection, filters, options.now)) {
    const chosen = await chooseComparables(pool, query);
    if (chosen && chosen.n > (best?.n ?? 0)) best = chosen;
    if (best && best.n >= ENOUGH) break;
  }
  if (!best) return { ...nothing, currency: selection.currency ?? null };
  const { text, values } = measureComparables(best.query, options.price);
  const { rows } = await pool.query<Measured>(text, values);
  const [measured] = rows;
  // What was counted a moment ago may be gone.
  if (!measured || measured.at[2] === null) return { ...nothing, currency: selection.currency ?? null };
  const level = best.query.maxLevel;
  return {
    ...present(measured),
    currency: best.currency,
    widened: filters.filter((filter) => filter.level <= level).flatMap(({ names }) => names),
    nearestIds: await readNearest(pool, best, selection, { ...options, price: options.price ?? measured.at[2] }),
  };
}

/** The queries to try, narrowest first, until one finds enough: between two of them another index serves. */
async function readQueries(
  pool: Pool,
  { categoryIds, currency, brand, attributes }: PriceSelection,
  filters: readonly DroppableFilter[],
  now: Date,
): Promise<ComparableQuery[]> {
  const expiredSince = new Date(now.getTime() - EXPIRED_DAYS * 86_400_000);
  const brands = brand === undefined ? undefined : await readBrands(pool, brand);
  const currencies = currency === undefined ? await readCurrencies(pool, categoryIds) : [currency];
  const query = (floor: number, maxLevel: number, more: Partial<ComparableQuery> = {}): ComparableQuery => ({
    categoryIds,
    currencies,
    maxSamplingKey: MAX_SAMPLING_KEY,
    expiredSince,
    floor,
    maxLevel,
    dropped: filters.filter(({ level }) => level > floor && level <= maxLevel),
    kept: filters.filter(({ level }) => level > maxLevel),
    ...more,
  });
  const predicate = toJsonPath(attributes) ?? undefined;
  const withoutAttributes = attributes.length > 0 ? ATTRIBUTES_LEVEL : 0;
  return [
    ...(attributes.length > 0 ? [query(0, ATTRIBUTES_LEVEL - 1, { brands, attributes: predicate })] : []),
    ...(brands ? [query(withoutAttributes, BRAND_LEVEL - 1, { brands })] : []),
    query(brands ? BRAND_LEVEL : withoutAttributes, LAST_LEVEL),
  ];
}

async function readCurrencies(pool: Pool, categoryIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ currency: string }>(
    'select distinct currency from listing_price_currencies where category_id = any($1::text[])',
    [categoryIds],
  );
  return rows.map(({ currency }) => currency);
}

/** The ids of the comparables most like what was asked for; of many, in a sample. */
async function readNearest(
  pool: Pool,
  { query, n }: ChosenComparables,
  { year, length }: PriceSelection,
  { nearest = 0, showExpired = false, price }: MarketOptions,
): Promise<string[]> {
  if (nearest === 0) return [];
  const maxSamplingKey = Math.min(
    query.maxSamplingKey,
    samplingKeyOf((sampledShare(query.maxSamplingKey) * NEAREST_SAMPLE) / n),
  );
  const { text, values } = findNearest(
    { ...query, maxSamplingKey },
    {
      price,
      year: middleOf(year),
      length: length && Math.max(MIN_LENGTH_M, middleOf(length) ?? MIN_LENGTH_M),
      count: nearest,
      showExpired,
    },
  );
  const { rows } = await pool.query<{ listing_id: string }>(text, values);
  return rows.map(({ listing_id }) => listing_id);
}

/** The brands, in small letters, that have one of these texts in their names. */
async function readBrands(pool: Pool, texts: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ brand: string }>(
    `select distinct brand from listing_price_brands where exists (
       select from unnest($1::text[]) as part where strpos(brand, lower(part)) > 0) order by brand limit $2`,
    [texts, MAX_BRANDS],
  );
  return rows.map(({ brand }) => brand);
}

type Measured = {
  n: number;
  min: number;
  max: number;
  mean: number;
  at: (number | null)[];
  below: number;
  equal: number;
  recommended: (number | null)[];
};

function present({ n, min, max, mean, below, equal, at, recommended }: Measured) {
  return {
    sampleSize: n,
    min: round(min),
    max: round(max),
    mean: round(mean),
    median: round(at[2]),
    percentiles: { p10: round(at[0]), p25: round(at[1]), p75: round(at[3]), p90: round(at[4]) },
    recommended: { low: round(recommended[0]), fair: round(recommended[1]), high: round(recommended[2]) },
    below,
    equal,
  };
}

const nothing: Market = {
  currency: null,
  sampleSize: 0,
  min: null,
  max: null,
  mean: null,
  median: null,
  percentiles: { p10: null, p25: null, p75: null, p90: null },
  recommended: { low: null, fair: null, high: null },
  widened: [],
  below: 0,
  equal: 0,
  nearestIds: [],
};

const round = (value: number | null | undefined) =>
  value === null || value === undefined ? null : Math.round(value * 100) / 100;

/** The middle of a range, or its one end. */
function middleOf(range: Range | undefined): number | undefined {
  const ends = [range?.min ?? undefined, range?.max ?? undefined].filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : ends.reduce((sum, end) => sum + end, 0) / ends.length;
}

/** Lengths are compared by their logarithms. */
const MIN_LENGTH_M = 0.1;
