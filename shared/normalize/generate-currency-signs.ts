// Writes db/seed/currency-signs.tsv: how each currency is printed, by the locale data (CLDR) of this Node.
import { writeFileSync } from 'node:fs';
import languages from 'iso-639-1';
import { isCountry, isCurrency } from '../kit/codes.ts';
import { countriesOfCurrency } from './currency-countries.ts';
import { signKey } from './sign-key.ts';

/** Their names of all currencies count, not only of those at home. */
const SITE_LANGUAGES = 'en es fr de it nl pt pl sv da nb fi cs hu ro ru uk tr'.split(' ');
/** The noun comes first in these languages: `peso argentino`, `دينار كويتي`. */
const NOUN_FIRST = new Set('ar ca es fa fr gl he id it ms pl pt ro sq sw ur vi'.split(' '));
const MIN_NOUN_LENGTH = 3;
const SCRIPTS = ['', '-Latn', '-Cyrl'];
/** Singular, dual, few and many: the numbers that call for them somewhere. */
const COUNTS = [1, 2, 3, 5];
const OUT = new URL('../../db/seed/currency-signs.tsv', import.meta.url);

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const countries = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(isCountry);
const currencies = LETTERS.flatMap((a) => LETTERS.flatMap((b) => LETTERS.map((c) => a + b + c))).filter(
  (code) => isCurrency(code) || ['BGN', 'HRK'].includes(code),
);
const locales = countries.flatMap((country) =>
  languages.getAllCodes().flatMap((language) => SCRIPTS.map((script) => `${language}${script}-${country}`)),
);
/** Locales of which CLDR knows something of their own. */
const known = new Set(
  locales.filter((locale) => new Intl.NumberFormat(locale).resolvedOptions().locale.endsWith(locale.slice(-3))),
);

const lines = currencies.map((code) => {
  const home = countriesOfCurrency(code);
  const local = [...known].filter((locale) => home.includes(locale.slice(-2)));
  const signs = local.flatMap((locale) => [print(locale, code, 'symbol'), print(locale, code, 'narrowSymbol')]);
  const names = local.flatMap((locale) => COUNTS.map((count) => print(locale, code, 'name', count)));
  const nouns = [...local, ...SITE_LANGUAGES].flatMap((locale) =>
    COUNTS.map((count) => nounOf(locale, print(locale, code, 'name', count))),
  );
  const keys = [...signs, ...names, ...nouns].map(signKey).filter((key) => key !== '' && key !== code.toLowerCase());
  return `${code}\t${[...new Set(keys)].toSorted().join('|')}`;
});
writeFileSync(OUT, `${lines.join('\n')}\n`);

function print(
  locale: string,
  currency: string,
  currencyDisplay: 'symbol' | 'narrowSymbol' | 'name',
  count = 1,
): string {
  const format = { style: 'currency', currency, currencyDisplay, maximumFractionDigits: 0 } as const;
  const parts = new Intl.NumberFormat(locale, format).formatToParts(count);
  return parts.find(({ type }) => type === 'currency')?.value ?? '';
}

/** The noun in the name of a currency: `yen` of `Japanese yen`, `sol` of `sol peruano`. */
function nounOf(locale: string, name: string): string {
  const words = name
    .split('(', 1)
    .join()
    .trim()
    .split(/[\s-]+/);
  const noun = (NOUN_FIRST.has(locale.slice(0, 2)) ? words[0] : words.at(-1)) ?? '';
  return noun.length >= MIN_NOUN_LENGTH ? noun : '';
}
