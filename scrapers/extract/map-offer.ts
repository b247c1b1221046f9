import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { NUMBER_PATTERN, parseAmount } from '../../shared/normalize/amount.ts';
import { canonicalAvailability } from './availability.ts';
import { isOfType, itemsOf, textFrom, propertyValues } from './items.ts';
import type { Item } from './items.ts';

const NUMBER = new RegExp(NUMBER_PATTERN);
const OFFERS = new Set(['offer', 'aggregateoffer', 'demand']);
const AGGREGATE = new Set(['aggregateoffer']);
const OTHER_PRICE = /list|strike|msrp|srp|regular|invoice|minimumadvertised/i;
const FOR_SALE = new Set(['InStock', 'LimitedAvailability', 'OnlineOnly', 'InStoreOnly', 'MadeToOrder']);

type OfferFacts = Pick<RawRecord, 'price' | 'currency' | 'availability' | 'condition' | 'sku'> & { url?: string };

/**
 * Price, currency, availability and condition of an item's offers. Of several offers those that name no other URL than the page's
 * own count, of these those that can be bought, of these the cheapest; an AggregateOffer counts with its low price.
 */
export function mapOffers(product: Item, isOwnUrl: (url: string) => boolean): OfferFacts {
  const direct = [...itemsOf(product, 'offers', 'offer', 'makesoffer'), ...(isOffer(product) ? [product] : [])];
  const nested = direct.flatMap((offer) => itemsOf(offer, 'offers', 'itemlistelement'));
  const offers = [...direct, ...nested].slice(0, 500).map(readOffer);
  const named = offers.filter((offer) => offer.url === undefined || isOwnUrl(offer.url));
  const meant = named.length > 0 ? named : offers;
  const buyable = meant.filter((offer) => FOR_SALE.has(offer.availability ?? ''));
  const chosen =
    meant.find((offer) => offer.isAggregate && hasAmount(offer.price)) ??
    cheapest(buyable) ??
    cheapest(meant) ??
    cheapest(offers) ??
    offers[0];
  const own = readOffer(product);
  const price = chosen?.price ?? own.price;
  return {
    price,
    currency: chosen?.currency ?? own.currency ?? offers.find((offer) => offer.currency)?.currency,
    availability:
      (buyable[0] ?? chosen)?.availability ??
      offers.find((offer) => offer.availability)?.availability ??
      own.availability,
    condition: chosen?.condition ?? offers.find((offer) => offer.condition)?.condition ?? own.condition,
    sku: chosen?.sku,
    url: chosen?.url,
  };
}

/** True when a printed amount holds a number other than zero. */
export function hasAmount(price: string | undefined): boolean {
  return price !== undefined && /[1-9]/.test(price);
}

function cheapest<T extends OfferFacts>(offers: T[]): T | undefined {
  let best: T | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const offer of offers) {
    const amount = hasAmount(offer.price) ? amountOf(offer.price ?? '') : Number.POSITIVE_INFINITY;
    if (amount >= least) continue;
    best = offer;
    least = amount;
  }
  return best;
}

function amountOf(price: string): number {
  const [number] = NUMBER.exec(price) ?? [];
  return (number === undefined ? undefined : parseAmount(number)) ?? Number.MAX_VALUE;
}

function isOffer(item: Item): boolean {
  return isOfType(item, OFFERS);
}

function readOffer(offer: Item): OfferFacts & { isAggregate: boolean } {
  const specification = salePrice(itemsOf(offer, 'pricespecification'));
  const isAggregate = isOfType(offer, AGGREGATE);
  const names = isAggregate ? ['lowprice', 'price', 'highprice'] : ['price', 'lowprice'];
  return {
    price: amountFrom(offer, ...names) ?? (specification && amountFrom(specification, 'price', 'minprice')),
    currency:
      textFrom(offer, 'pricecurrency', 'currency') ??
      (specification && textFrom(specification, 'pricecurrency', 'currency')),
    availability: canonicalAvailability(textFrom(offer, 'availability')),
    condition: textFrom(offer, 'itemcondition'),
    sku: textFrom(offer, 'sku'),
    url: textFrom(offer, 'url'),
    isAggregate,
  };
}

/** Of several price specifications, the one asked today: no list or strike-through price, no member price, for one piece. */
function salePrice(specifications: Item[]): Item | undefined {
  const asked = specifications.filter((item) => !OTHER_PRICE.test(textFrom(item, 'pricetype') ?? ''));
  const open = asked.find((item) => !item.props.has('validformembertier') && !item.props.has('referencequantity'));
  return open ?? asked[0] ?? specifications[0];
}

/** A price property may hold a text, or nest a MonetaryAmount or PriceSpecification. */
function amountFrom(offer: Item, ...names: string[]): string | undefined {
  for (const name of names) {
    for (const value of propertyValues(offer, name)) {
      const text = typeof value === 'string' ? value.trim() : textFrom(value, 'price', 'value', 'minprice', 'minvalue');
      if (text) return text;
    }
  }
  return undefined;
}
