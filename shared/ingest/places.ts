import { isCountry } from '../kit/codes.ts';
import { countryOf } from '../normalize/country.ts';
import { currencyOfCountry } from '../normalize/currency-countries.ts';

/** What a record says about its place, and where it was found. */
export type PlaceEvidence = { country?: string; country_name?: string; site: string; currency?: string };

/** The code that CLDR gives to an unknown region; ISO 3166-1 leaves it to its users. */
export const UNKNOWN_COUNTRY = 'ZZ';

// Sold to anybody anywhere: these endings tell nothing about a place.
const worldwideEndings = new Set(
  'ac ag ai am cc co fm gg gl im io is la ly me mu nu sc sh so tk to tv vc vg ws'.split(' '),
);

// The currencies that one country alone uses, as far as classified ads show it; dollars and euros are quoted anywhere.
const countryByCurrency = new Map(
  `AE AR AU BR CA CH CL CN CO CZ DK EG GB HK HU ID IL IN IS JP KR MX MY NG NO NZ PH PK PL RO RS RU SA SE SG TH TR TW UA VN ZA`
    .split(' ')
    .map((country) => [currencyOfCountry(country), country]),
);

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
  return currencyOfCountry(country) ?? 'EUR';
}

function countryOfSite(site: string): string | undefined {
  const ending = site.split('.').at(-1)?.toLowerCase() ?? '';
  if (worldwideEndings.has(ending)) return undefined;
  const code = ending === 'uk' ? 'GB' : ending.toUpperCase();
  return isCountry(code) ? code : undefined;
}
