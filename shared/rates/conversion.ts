import { convertAmount, decimalsOf, rateBetween, BASE_CURRENCY, type ExchangeRates } from './exchange-rates.ts';

/** Below any price above 0. */
const MIN_PRICE = 1e-300;

/** The prices of a search in one currency: what one unit of each currency with a rate is in it, by the rates of a day. */
export type Conversion = { to: string; factors: ReadonlyMap<string, number>; rates: ExchangeRates };

/** Inclusive bounds of the stored amounts of a currency. */
export type CurrencyBounds = { currency: string; min: number; max: number };

/** A currency is worth itself, with or without a rate; others need one on both sides. */
export function conversionTo(to: string, rates: ExchangeRates): Conversion {
  const factors = new Map([[to, 1]]);
  for (const code of [BASE_CURRENCY, ...Object.keys(rates.rates)]) {
    const factor = rateBetween(rates, code, to);
    if (factor !== undefined) factors.set(code, factor);
  }
  return { to, factors, rates };
}

/**
 * The bounds of a price in the stored amounts of each currency, so that what lies within is shown as lying within: converted
 * amounts are rounded to the smallest unit. Currencies without a rate have none.
 */
export function priceBoundsByCurrency(
  { min, max }: { min: number; max: number },
  { to, factors }: Pick<Conversion, 'to' | 'factors'>,
): CurrencyBounds[] {
  const half = 0.5 / 10 ** decimalsOf(to);
  return [...factors].map(([currency, factor]) =>
    currency === to
      ? { currency, min, max }
      : // What is unpriced stays out, however small the unit.
        { currency, min: Math.max(MIN_PRICE, (min - half) / factor), max: (max + half) / factor },
  );
}

/** A price in the currency of the conversion; undefined for one without a rate. */
export function convertPrice(
  { amount, currency }: { amount: number; currency: string },
  { to, rates }: Pick<Conversion, 'to' | 'rates'>,
): { amount: number; currency: string; rate_date: string } | undefined {
  const converted = convertAmount(rates, amount, currency, to);
  return converted === undefined ? undefined : { amount: converted, currency: to, rate_date: rates.date };
}
