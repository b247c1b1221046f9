import { normalizePrice } from '../../shared/normalize/price.ts';
import type { RawRecord } from '../../shared/ingest/record.ts';
import type { Readable } from './readable.ts';

/** So well must a price stand on the page to go before one that the markup names and nobody can read there. */
const CLEAR_PRICE = 4;
const IN_STOCK = new Set(['InStock', 'LimitedAvailability', 'OnlineOnly', 'InStoreOnly', 'MadeToOrder']);
const OUT_OF_STOCK = new Set(['OutOfStock', 'SoldOut']);

/**
 * What the page shows its readers where that contradicts what it tells machines: such markup is stale, or an internal key.
 * A price that is printed nowhere yields to the one asked, an article number that is printed nowhere to the labelled one, a
 * thing in stock to the words that it is gone, one out of stock to a button that buys it.
 */
export function readContradictions(told: Partial<RawRecord>, shown: Readable): Partial<RawRecord> {
  return { ...priceInstead(told, shown), ...stockInstead(told, shown), ...skuInstead(told, shown) };
}

function priceInstead({ price, currency }: Partial<RawRecord>, { prices }: Readable): Partial<RawRecord> {
  const told = price === undefined ? undefined : normalizePrice(price, { currency });
  const { asked, amounts } = prices;
  if (!told || told.amount === 0 || !asked || asked.score < CLEAR_PRICE || amounts.has(told.amount)) return {};
  const shown = normalizePrice(asked.text, { currency });
  return shown?.currency === told.currency ? { price: asked.text } : {};
}

function stockInstead({ availability }: Partial<RawRecord>, { stock }: Readable): Partial<RawRecord> {
  if (availability === undefined) return {};
  if (OUT_OF_STOCK.has(availability) && stock.canBuy) return { availability: 'InStock' };
  return IN_STOCK.has(availability) && stock.isSaidOut ? { availability: 'OutOfStock' } : {};
}

function skuInstead({ sku }: Partial<RawRecord>, { printedSku, isPrinted }: Readable): Partial<RawRecord> {
  if (sku === undefined || printedSku === undefined || isPrinted(sku)) return {};
  return { sku: printedSku };
}
