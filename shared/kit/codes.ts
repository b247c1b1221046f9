import countries from 'i18n-iso-countries/index.js';
import { memoizeText } from './memoize-text.ts';
import languages from 'iso-639-1';

// ISO 4217 as in use in 2026, without the codes for tests, metals and accounting units. CLF stays: property and boats in
// Chile are priced in it. Gone with the euro or a successor: HRK, BGN, ANG (now XCG), SLL (SLE), ZWL (ZWG), CUC.
const currencies: ReadonlySet<string> = new Set(
  `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF CLP CNY COP
   CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD
   IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR
   MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP
   SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG
   XOF XPF YER ZAR ZMW ZWG`.split(/\s+/),
);

// XK is user-assigned: no code of ISO 3166-1.
const countryCodeSet: ReadonlySet<string> = new Set(
  Object.keys(countries.getAlpha2Codes()).filter((code) => code !== 'XK'),
);

/** Every code that `isCountry` is true for. */
export const countryCodes: readonly string[] = [...countryCodeSet];
/** Every code that `isCurrency` is true for. */
export const currencyCodes: readonly string[] = [...currencies];

/** What a code has to be, with an example, for whoever has sent another one. */
export const codeRules = {
  country: 'must be the ISO 3166-1 alpha-2 code of a country, like "TR"',
  currency: 'must be the ISO 4217 code of a currency in use, like "EUR"',
  language: 'must be the ISO 639-1 code of a language, like "en"',
};

/** True for a currency of ISO 4217 in use, in capitals. */
export function isCurrency(code: string): boolean {
  return currencies.has(code);
}

/** True for a two-letter country code of ISO 3166-1, in capitals. */
export function isCountry(code: string): boolean {
  return countryCodeSet.has(code);
}

/** True for a two-letter language code of ISO 639-1, in small letters. */
export function isLanguage(code: string): boolean {
  return languages.validate(code);
}

const displayNames = new Map<string, (code: string) => string | undefined>();

/** The country's name in that locale, or undefined for an unknown code; an unknown locale reads as English. */
export function countryNameIn(code: string, locale: string): string | undefined {
  if (!isCountry(code)) return undefined;
  const language = isLanguage(locale) ? locale : 'en';
  let names = displayNames.get(language);
  if (!names) {
    const [known = 'en'] = Intl.DisplayNames.supportedLocalesOf(language);
    const display = new Intl.DisplayNames(known, { type: 'region' });
    names = memoizeText((each) => display.of(each));
    displayNames.set(language, names);
  }
  return names(code);
}
