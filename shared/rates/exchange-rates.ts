import { z } from 'zod';
import snapshotFile from '../../db/seed/exchange-rates.json' with { type: 'json' };
import { isCurrency } from '../kit/codes.ts';

export const BASE_CURRENCY = 'EUR';
/** No currency is so far from the euro: rates beyond are slips of the pen. */
const MAX_RATE = 1e12;

const rate = z
  .number()
  .min(1 / MAX_RATE)
  .max(MAX_RATE);
const date = z.iso.date();

/** A table of exchange rates of one day: units of a currency for one euro. The euro itself is not in it. */
export type ExchangeRates = { date: string; rates: Readonly<Record<string, number>> };

/** Holds foreign data against the form of a table: an ISO date and at least one rate, all of currencies in use. */
export const exchangeRatesSchema = z.object({
  date,
  rates: z
    .record(z.string(), rate)
    .refine((rates) => Object.keys(rates).length > 0, 'must have at least one rate')
    .refine((rates) => Object.keys(rates).every(isCurrency), 'must be of currencies in use'),
});

/** The table that ships as data. */
export const snapshotRates: ExchangeRates = exchangeRatesSchema.parse({
  date: snapshotFile.date,
  rates: snapshotFile.rates,
});

/** How many units of a currency a euro buys; undefined for one without a rate. */
export function unitsPerEuro({ rates }: ExchangeRates, currency: string): number | undefined {
  return currency === BASE_CURRENCY ? 1 : Object.hasOwn(rates, currency) ? rates[currency] : undefined;
}

/** What one unit of `from` is in `to`; undefined where either has no rate. A currency is worth itself, with or without a rate. */
export function rateBetween(rates: ExchangeRates, from: string, to: string): number | undefined {
  if (from === to) return 1;
  const perEuro = unitsPerEuro(rates, to);
  const ofEuro = unitsPerEuro(rates, from);
  return perEuro === undefined || ofEuro === undefined ? undefined : perEuro / ofEuro;
}

/** An amount of `from` in `to`, rounded to that currency's smallest unit; undefined where either has no rate. */
export function convertAmount(rates: ExchangeRates, amount: number, from: string, to: string): number | undefined {
  const factor = rateBetween(rates, from, to);
  if (factor === undefined || from === to) return factor && amount;
  const units = 10 ** decimalsOf(to);
  return Math.round(amount * factor * units) / units;
}

const decimals = new Map<string, number>();

/** The decimals that amounts of a currency are written with: 2 for most, 0 for yen, 3 for some dinars. */
export function decimalsOf(currency: string): number {
  let known = decimals.get(currency);
  if (known === undefined) {
    known = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
    decimals.set(currency, known);
  }
  return known;
}
