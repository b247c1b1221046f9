import { countryName, isCountry } from '../codes.ts';
import type { Locale } from '../profiles/profile.ts';

/** What a record says about its place, and where it was found. */
export type PlaceEvidence = { country?: string; country_name?: string; site: string; currency?: string };

/** The code that CLDR gives to an unknown region; ISO 3166-1 leaves it to its users. */
export const UNKNOWN_COUNTRY = 'ZZ';

// Sold to anybody anywhere: these endings tell nothing about a place.
const worldwideEndings = new Set(
  'ac ag ai am cc co fm gg gl im io is la ly me mu nu sc sh so tk to tv vc vg ws'.split(' '),
);

// The currencies that one country alone uses, as far as classified ads show it; dollars and euros are quoted anywhere.
const currencyByCountry: Record<string, string> = Object.fromEntries(
  `AE:AED AR:ARS AU:AUD BR:BRL CA:CAD CH:CHF CL:CLP CN:CNY CO:COP CZ:CZK DK:DKK EG:EGP GB:GBP HK:HKD HU:HUF ID:IDR IL:ILS
   IN:INR IS:ISK JP:JPY KR:KRW MX:MXN MY:MYR NG:NGN NO:NOK NZ:NZD PH:PHP PK:PKR PL:PLN RO:RON RS:RSD RU:RUB SA:SAR SE:SEK
   SG:SGD TH:THB TR:TRY TW:TWD UA:UAH VN:VND ZA:ZAR`
    .split(/\s+/)
    .map((pair) => pair.split(':') as [string, string]),
);
const dollarCountries = new Set(['US', 'PR', 'VI', 'GU', 'AS', 'MP', 'EC', 'SV', 'PA', 'VG', 'TC', 'BQ']);
const countryByCurrency = new Map(Object.entries(currencyByCountry).map(([country, currency]) => [currency, country]));

/**
 * The country of a record: its code, else the country it names, else that of the site's national ending, else the one
 * country that uses its currency; `ZZ`, unknown, without any of them.
 */
export function deriveCountry({ country, country_name: name, site, currency }: PlaceEvidence): string {
  if (country !== undefined) return country;
  return countryByName(name) ?? countryOfSite(site) ?? countryByCurrency.get(currency ?? '') ?? UNKNOWN_COUNTRY;
}

/** The currency that ads of a country are priced in; EUR where nothing better is known. */
export function currencyOfCountry(country: string): string {
  return currencyByCountry[country] ?? (dollarCountries.has(country) ? 'USD' : 'EUR');
}

function countryOfSite(site: string): string | undefined {
  const ending = site.split('.').at(-1)?.toLowerCase() ?? '';
  if (worldwideEndings.has(ending)) return undefined;
  const code = ending === 'uk' ? 'GB' : ending.toUpperCase();
  return isCountry(code) ? code : undefined;
}

const nameLocales: Locale[] = ['en', 'es', 'fr', 'de', 'it', 'ko', 'ja'];
let codesByName: Map<string, string> | undefined;

function countryByName(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  codesByName ??= readNames();
  return codesByName.get(foldName(name)) ?? codesByName.get(foldName(name.replaceAll(/\([^()]*\)/g, ' ')));
}

/** One spelling for names that differ in case, accents, `&`, `St.`, articles and punctuation. */
function foldName(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replaceAll(/\bst\b\.?/g, 'saint')
    .replaceAll(/(?:\bthe\b|[^\p{L}])+/gu, ' ')
    .trim();
}

function readNames(): Map<string, string> {
  const codes = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const names = new Map([
    ['usa', 'US'],
    ['uk', 'GB'],
    ['great britain', 'GB'],
    ['england', 'GB'],
    ['scotland', 'GB'],
    ['wales', 'GB'],
    ['holland', 'NL'],
    ['czech republic', 'CZ'],
    ['turkey', 'TR'],
    ['russian federation', 'RU'],
    ['virgin islands british', 'VG'],
    ['virgin islands us', 'VI'],
  ]);
  for (const first of codes) {
    for (const second of codes) {
      for (const locale of nameLocales) {
        const name = countryName(first + second, locale);
        if (name !== undefined && !names.has(foldName(name))) names.set(foldName(name), first + second);
      }
    }
  }
  return names;
}
