import { isCountry } from '../kit/codes.ts';
import { countryOf } from '../normalize/country.ts';

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
  return countryOf(name) ?? countryOfSite(site) ?? countryByCurrency.get(currency ?? '') ?? UNKNOWN_COUNTRY;
}

/** The currency that ads of a country are priced in; EUR where nothing better is known. */
export function defaultCurrencyOf(country: string): string {
  return currencyByCountry[country] ?? (dollarCountries.has(country) ? 'USD' : 'EUR');
}

function countryOfSite(site: string): string | undefined {
  const ending = site.split('.').at(-1)?.toLowerCase() ?? '';
  if (worldwideEndings.has(ending)) return undefined;
  const code = ending === 'uk' ? 'GB' : ending.toUpperCase();
  return isCountry(code) ? code : undefined;
}
