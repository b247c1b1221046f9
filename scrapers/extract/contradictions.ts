import { normalizePrice } from '../../shared/normalize/price.ts';
import type { RawRecord } from '../../shared/normalize/record-type.ts';
import type { VisibleEvidence } from './readable.ts';
import type { Statement } from './reconcile.ts';

/** So probable must a price of the page be to go before one that the markup names, unless the page itself calls that one past. */
const MIN_CERTAINTY = 0.8;
/** Places that must agree on it: those that ask it, and those that call the markup's own a former or a starting price. */
const MIN_PLACES = 2;
const IN_STOCK = new Set(['InStock', 'LimitedAvailability', 'OnlineOnly', 'InStoreOnly', 'MadeToOrder']);
const OUT_OF_STOCK = new Set(['OutOfStock', 'SoldOut']);

/**
 * What the page shows its readers where that contradicts what it tells machines: such markup is stale, or an internal key.
 * A price that is printed nowhere yields to the one asked, an article number that is printed nowhere to the labelled one, a
 * thing out of stock to a button that buys it, a name made for search engines to the heading. One in stock whose button is locked beside the words that it is gone reads as
 * out of stock on the evidence `contradicted`, which withdraws no listing.
 */
export function readContradictions(told: Partial<RawRecord>, shown: VisibleEvidence): Statement[] {
  const { availability = '' } = told;
  const facts = {
    ...titleInstead(told, shown),
    ...priceInstead(told, shown),
    ...skuInstead(told, shown),
    ...(OUT_OF_STOCK.has(availability) && shown.stock.canBuy && { availability: 'InStock' }),
  };
  const isDenied = IN_STOCK.has(availability) && shown.stock.isLocked;
  return [
    { source: 'page', facts },
    ...(isDenied ? [{ source: 'contradicted', facts: { availability: 'OutOfStock' } }] : []),
  ];
}

function priceInstead({ price, currency }: Partial<RawRecord>, { prices }: VisibleEvidence): Partial<RawRecord> {
  const told = price === undefined ? undefined : normalizePrice(price, { currency });
  const { asked, amounts, former } = prices;
  if (!told || told.amount === 0 || !asked || amounts.has(told.amount)) return {};
  const isFormer = former.has(told.amount);
  if (!isFormer && asked.probability < MIN_CERTAINTY) return {};
  const agreeing = asked.places + (asked.places > 0 && isFormer ? 1 : 0);
  const shown = normalizePrice(asked.text, { currency });
  return agreeing >= MIN_PLACES && shown?.currency === told.currency ? { price: asked.text } : {};
}

function skuInstead({ sku }: Partial<RawRecord>, { readSku, isPrinted }: VisibleEvidence): Partial<RawRecord> {
  if (sku === undefined || isPrinted(sku)) return {};
  const shown = readSku();
  return shown?.isLabelled ? { sku: shown.code } : {};
}

/** A name that is an address, holds a price or the parts of a title for search engines yields to the heading, as does one from tags for sharing. */
function titleInstead({ title, evidence }: Partial<RawRecord>, { heading }: VisibleEvidence): Partial<RawRecord> {
  if (title === undefined || heading === undefined || !isPlainName(heading)) return {};
  if (evidence?.title !== 'opengraph' && isPlainName(title)) return {};
  const words = new Set(wordsOf(title));
  const isOfShop = title.toLowerCase().endsWith(heading.toLowerCase()) && heading.length < title.length / 2;
  return isAddress(title) || (!isOfShop && wordsOf(heading).some((word) => words.has(word))) ? { title: heading } : {};
}

const isAddress = (name: string) => /^https?:\/\//i.test(name);

function isPlainName(name: string): boolean {
  return !isAddress(name) && !/ [|•·] /.test(name) && !/\p{Sc}\s?\d|\d\s?\p{Sc}/u.test(name);
}

const wordsOf = (name: string): string[] => name.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
