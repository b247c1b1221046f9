// Currencies of ISO 4217 whose smallest unit is not a hundredth.
const unitDigits = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ['CLF', 4] as const,
]);

/** Days times the price per day, rounded to the smallest unit of the currency, halves up. */
export function totalPrice(days: number, pricePerDay: number, currency: string): number {
  const units = 10 ** (unitDigits.get(currency) ?? 2);
  // Fifteen digits are what a price was written with; what follows them comes from binary fractions.
  return Math.round(Number((days * pricePerDay * units).toPrecision(15))) / units;
}
