import { isCurrency } from '../kit/codes.ts';
import { anyCase } from './any-case.ts';

/** Symbols and words of one currency, lower case, wherever they stand. */
const CERTAIN: Record<string, string> = {
  AED: 'د.إ درهم dhs',
  AUD: 'au$ a$ aud$',
  AZN: '₼',
  BDT: '৳',
  BRL: 'r$',
  CAD: 'ca$ c$ cad$ cdn$',
  CHF: 'sfr sfr. fr. franken',
  CNY: '元 rmb',
  CRC: '₡',
  CZK: 'kč',
  EGP: 'ج.م',
  EUR: '€ euro euros ευρώ eur. 유로 ユーロ',
  GBP: '£ pounds stg',
  GEL: '₾',
  GHS: '₵',
  HKD: 'hk$',
  HUF: 'ft forint',
  IDR: 'rp rp.',
  ILS: '₪ nis',
  INR: '₹',
  JPY: '円 万円',
  KRW: '₩ 원 만원',
  KZT: '₸',
  MNT: '₮',
  MXN: 'mx$ mex$',
  MYR: 'rm',
  NGN: '₦',
  NZD: 'nz$',
  PHP: '₱',
  PLN: 'zł zl',
  PYG: '₲',
  RON: 'lei leu',
  RSD: 'din din. дин',
  RUB: '₽ руб руб. р.',
  SAR: 'ر.س ريال',
  SGD: 's$',
  THB: '฿',
  TRY: '₺ tl',
  TWD: 'nt$',
  UAH: '₴ грн грн.',
  USD: 'us$ usd$ u$s u$d usd. dollars 달러 ドル',
  VND: '₫ đ',
  ZAR: 'zar',
};

/** Signs that several currencies share: the one meant where nothing else tells (none for the crowns), and by country. */
const SHARED: Record<string, { usual?: string; countries: string }> = {
  $: {
    usual: 'USD',
    countries:
      'CA:CAD AU:AUD NZ:NZD SG:SGD HK:HKD TW:TWD MX:MXN AR:ARS CL:CLP CO:COP UY:UYU BB:BBD BS:BSD BZ:BZD FJ:FJD JM:JMD TT:TTD',
  },
  '¥': { usual: 'JPY', countries: 'CN:CNY JP:JPY' },
  kr: { countries: 'SE:SEK NO:NOK DK:DKK IS:ISK FO:DKK GL:DKK' },
  'kr.': { usual: 'DKK', countries: 'SE:SEK NO:NOK DK:DKK IS:ISK FO:DKK GL:DKK' },
  rs: { usual: 'INR', countries: 'IN:INR PK:PKR LK:LKR NP:NPR MU:MUR SC:SCR' },
  'rs.': { usual: 'INR', countries: 'IN:INR PK:PKR LK:LKR NP:NPR MU:MUR SC:SCR' },
  r: { countries: 'ZA:ZAR NA:NAD' },
  fr: { usual: 'CHF', countries: 'CH:CHF LI:CHF' },
  f: { countries: 'AW:AWG' },
};

/** What people pay with, for prices printed without any sign. */
const BY_COUNTRY = new Map(
  (
    'AE:AED AR:ARS AT:EUR AU:AUD BE:EUR BG:EUR BH:BHD BR:BRL CA:CAD CH:CHF CL:CLP CN:CNY CO:COP CY:EUR CZ:CZK DE:EUR ' +
    'DK:DKK EE:EUR EG:EGP ES:EUR FI:EUR FR:EUR GB:GBP GR:EUR HK:HKD HR:EUR HU:HUF ID:IDR IE:EUR IL:ILS IN:INR IS:ISK ' +
    'IT:EUR JP:JPY KR:KRW KW:KWD LI:CHF LT:EUR LU:EUR LV:EUR MA:MAD MC:EUR ME:EUR MT:EUR MX:MXN MY:MYR NL:EUR NO:NOK ' +
    'NZ:NZD OM:OMR PH:PHP PL:PLN PT:EUR QA:QAR RO:RON RS:RSD RU:RUB SA:SAR SE:SEK SG:SGD SI:EUR SK:EUR TH:THB TN:TND ' +
    'TR:TRY TW:TWD UA:UAH US:USD VN:VND ZA:ZAR'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

const SIGNS = new Map(
  Object.entries(CERTAIN).flatMap(([code, signs]) => signs.split(' ').map((sign) => [sign, code] as const)),
);

const LETTER = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;

/**
 * Every sign and word for a currency, in any case, as one alternation, longest first; letters only where no other letter touches them.
 * The borders stand around groups of signs, not around each: classes of all letters are slow to compile.
 */
export const CURRENCY_PATTERN: string = [
  group((sign) => startsWithLetter(sign) && !endsWithLetter(sign), '(?<!\\p{L})', ''),
  group((sign) => startsWithLetter(sign) && endsWithLetter(sign), '(?<!\\p{L})', '(?!\\p{L})'),
  group((sign) => !startsWithLetter(sign), '', ''),
].join('|');

function group(belongs: (sign: string) => boolean, before: string, after: string): string {
  const signs = [...SIGNS.keys(), ...Object.keys(SHARED)].filter(belongs).sort((a, b) => b.length - a.length);
  const escaped = signs.map((sign) => sign.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return `${before}(?:${anyCase(escaped.join('|'))})${after}`;
}

function startsWithLetter(sign: string): boolean {
  return LETTER.test(sign[0] ?? '');
}

function endsWithLetter(sign: string): boolean {
  return LETTER.test(sign.at(-1) ?? '');
}

/** The ISO 4217 code of a code, symbol or word (`€`, `Lei`, `kr` with its country), or undefined when it stays open. */
export function currencyOf(sign: string | undefined, country?: string): string | undefined {
  const text = sign?.normalize('NFKC').trim() ?? '';
  if (isCurrency(text.toUpperCase())) return text.toUpperCase();
  const key = text.toLowerCase();
  const certain = SIGNS.get(key);
  if (certain !== undefined) return certain === 'RON' && country === 'MD' ? 'MDL' : certain;
  const shared = Object.hasOwn(SHARED, key) ? SHARED[key] : undefined;
  if (!shared) return undefined;
  const local = shared.countries.split(' ').find((pair) => pair.startsWith(`${country?.toUpperCase()}:`));
  return local?.slice(3) ?? shared.usual;
}

/** True when a sign stands for several currencies, so that a named one must be asked first. */
export function isSharedSign(sign: string): boolean {
  return Object.hasOwn(SHARED, sign.normalize('NFKC').trim().toLowerCase());
}

/** The currency of a country (two-letter code), for the countries most sites come from. */
export function currencyOfCountry(country: string | undefined): string | undefined {
  return country === undefined ? undefined : BY_COUNTRY.get(country.toUpperCase());
}
