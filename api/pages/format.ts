import type { Locale } from '../../shared/profiles/profile.ts';
import type { CountedText } from './words/types.ts';

const cache = new Map<string, unknown>();

function cached<T>(key: string, make: () => T): T {
  let known = cache.get(key) as T | undefined;
  if (known === undefined) cache.set(key, (known = make()));
  return known;
}

/** An amount of money as people of the locale write it; whole amounts without decimals. */
export function formatMoney(locale: Locale, amount: number, currency: string): string {
  const isWhole = Number.isInteger(amount);
  const format = cached(
    `money ${locale} ${currency} ${isWhole}`,
    () =>
      new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        ...(isWhole && { maximumFractionDigits: 0 }),
      }),
  );
  return format.format(amount);
}

export const formatNumber = (locale: Locale, value: number): string =>
  cached(`number ${locale}`, () => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })).format(value);

/** A day as people of the locale write it. */
export const formatDay = (locale: Locale, date: string): string =>
  cached(`day ${locale}`, () => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })).format(
    new Date(date),
  );

/** The name of a country in the locale; the code itself where there is none. */
export function countryName(locale: Locale, code: string): string {
  if (code === 'ZZ') return '';
  return cached(`country ${locale} ${code}`, () => {
    const names = cached(`countries ${locale}`, () => new Intl.DisplayNames(locale, { type: 'region' }));
    return names.of(code) ?? code;
  });
}

export const currencyName = (locale: Locale, code: string): string =>
  cached(`currencies ${locale}`, () => new Intl.DisplayNames(locale, { type: 'currency' })).of(code) ?? code;

export const languageName = (locale: Locale): string =>
  cached(`language ${locale}`, () => new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? locale);

/** A text with its `{names}` replaced. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

/** A text in the plural form of the locale that fits a count (Intl.PluralRules), with the count and other values in it. */
export function fillCount(
  locale: Locale,
  text: CountedText,
  count: number,
  values: Record<string, string | number> = {},
): string {
  const form = cached(`plural ${locale}`, () => new Intl.PluralRules(locale)).select(count);
  return fill(text[form] ?? text.other, { ...values, count: formatNumber(locale, count) });
}
