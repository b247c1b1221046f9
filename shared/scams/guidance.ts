import type { Pool } from 'pg';
import type { Catalog } from '../catalog/tree.ts';
import type { Fingerprint } from '../dedup/fingerprint.ts';
import { rateConfidence } from '../pricing/judge.ts';
import { readMarket } from '../pricing/market.ts';
import type { ExchangeRates } from '../rates/exchange-rates.ts';
import type { Guidance } from './signals.ts';

/** A thing in need of repair costs what it costs. */
const cheapConditions = new Set(['poor']);
const YEARS = 3;
const LENGTH_SHARE = 0.06;

type Offer = {
  category_id: string;
  type: string;
  condition: string;
  price_amount: number;
  price_currency: string;
};

/**
 * What comparable listings cost; undefined for what is not sold, or cannot be compared. It is sure when enough listings of the
 * same model, or of the same brand, age and length, cost about the same.
 */
export async function readGuidance(
  { pool, catalog }: { pool: Pool; catalog: Catalog },
  { category_id: category, type, condition, price_amount: price, price_currency: currency }: Offer,
  { brand, model, year, length_m: length }: Pick<Fingerprint, 'year' | 'length_m'> & { brand?: string; model?: string },
  rates: ExchangeRates,
  now: Date,
): Promise<Guidance | undefined> {
  if (type !== 'sale' || price <= 0 || cheapConditions.has(condition) || brand === undefined) return undefined;
  const selection = {
    categoryIds: catalog.descendantIds(category),
    currency,
    brand: [brand],
    ...(model !== undefined && { model: [model] }),
    ...(year !== undefined && { year: { min: year - YEARS, max: year + YEARS } }),
    ...(length !== undefined && {
      length: { min: length * (1 - LENGTH_SHARE), max: length * (1 + LENGTH_SHARE) },
    }),
    attributes: [],
  };
  const market = await readMarket(pool, selection, { now, rates, price });
  if (market.median === null) return undefined;
  const dropped = new Set(market.widened);
  const isOneModel = model !== undefined && !dropped.has('attr[model]');
  const isOneKind = length !== undefined && !dropped.has('attr[brand]') && !dropped.has('attr[length]');
  const isOneAge = year !== undefined && !dropped.has('attr[year]');
  const confidence = rateConfidence(market);
  return {
    median: market.median,
    currency,
    listings: market.sampleSize,
    isSure: (confidence === 'high' || confidence === 'medium') && (isOneModel || isOneKind) && isOneAge,
  };
}
