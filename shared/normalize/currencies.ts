import { readFileSync } from 'node:fs';
import { isCurrency } from '../kit/codes.ts';
import { anyCase } from './any-case.ts';
import { currencyOfCountry } from './currency-countries.ts';
import { signKey } from './sign-key.ts';
import { isWithdrawn } from './withdrawn-currencies.ts';

/** Signs and words as they are typed, beside those of the locale data; the currency meant where nothing else tells. */
const TYPED: Record<string, string> = {
  AED: 'درهم dhs dirhams',
  AUD: 'au$ a$ aud$',
  BIF: 'fbu',
  BOB: 'bs bs.',
  BRL: 'r$',
  CAD: 'ca$ c$ cad$ cdn$ cnd$',
  CHF: 'sfr sfr. fr. franken',
  CNY: '元 圆 rmb',
  CVE: 'esc',
  DKK: 'kr.',
  DZD: 'دج',
  EGP: 'جنيه l.e. e£',
  EUR: 'euros eur. ευρώ 유로 ユーロ',
  GEL: 'ლ',
  GBP: 'pounds stg ₤',
  GHS: '₵ gh₵ gh¢',
  GNF: 'gfr fg',
  GYD: 'gy$',
  HKD: 'hk$',
  HNL: 'l',
  HUF: 'ft',
  IDR: 'rp rp.',
  ILS: "nis ש''ח שח ش.ج",
  INR: 'rs rs. re ரூ',
  JOD: 'د.ا',
  IRT: 'تومان toman',
  JMD: 'j$',
  JPY: '円 万円',
  KES: 'ksh kshs',
  KGS: 'сом som',
  KRW: '원 만원',
  KWD: 'kd',
  KZT: 'тг',
  MAD: 'dh',
  MKD: 'ден ден.',
  MMK: 'ks',
  MVR: 'mrf',
  MXN: 'mx$ mex$',
  MYR: 'rm',
  MZN: 'mt mtn',
  NZD: 'nz$',
  PLN: 'zl',
  QAR: 'qr',
  RON: 'lei leu',
  RSD: 'din din. дин dinara',
  RWF: 'frw rf',
  RUB: 'р р. руб руб. rbl',
  SAR: 'ريال',
  SGD: 's$',
  SOS: 'sh.so. sh.so',
  THB: 'บาท',
  TJS: 'sm смн',
  TRY: 'tl',
  TWD: 'nt$ nt 圓',
  UAH: 'грн грн. hrn',
  USD: 'us$ usd$ u$s u$d usd. $us 달러 ドル',
  UZS: "so'm сум",
  VND: 'đ vnđ',
  ZAR: 'r',
  BGN: 'лв лв. lv.',
  DEM: 'dm',
  ESP: 'pta pts ptas',
  FRF: 'ff',
};
/** Countries that print the sign of another currency for their own. */
const NAMESAKES: Record<string, string> = { EGP: '£', LBP: '£', SDG: '£', SYP: '£' };
/** Where only the sign is known, the currency that most prices are in means more than its namesakes. */
const STRONGEST = ['USD', 'EUR', 'JPY', 'GBP', 'CNY', 'CHF', 'INR', 'RUB'];

type Sign = { codes: Set<string>; usual?: string };
/**
 * How a text prints a currency: the codes it may mean, the usual one, and where it can be trusted to be one at all: anywhere,
 * alone with its number (units and initials look alike), or in its own country only.
 */
export type PrintedCurrency = {
  codes: ReadonlySet<string>;
  usual: string | undefined;
  trusted: 'anywhere' | 'alone' | 'at home';
};

const signs = new Map<string, Sign>();
for (const [code, list] of Object.entries(TYPED)) {
  // A closing dot may tell currencies apart (`kr.`); what has none is found with it too.
  for (const sign of list.split(' ')) note(sign.endsWith('.') ? sign : signKey(sign), code).usual ??= code;
}
for (const [code, sign] of Object.entries(NAMESAKES)) note(sign, code);
const table = readFileSync(new URL('../../db/seed/currency-signs.tsv', import.meta.url), 'utf8').trim();
for (const line of table.split('\n')) {
  const [code = '', list = ''] = line.split('\t');
  for (const sign of list.split('|')) note(sign, code);
  // The two letters of an Arabic sign change places where the direction of the text is lost.
  for (const sign of list.split('|').filter((each) => /^\p{Script=Arabic}\.\p{Script=Arabic}$/u.test(each)))
    note([...sign].toReversed().join(''), code);
}

function note(sign: string, code: string): Sign {
  const known = signs.get(sign) ?? { codes: new Set() };
  known.codes.add(code);
  signs.set(sign, known);
  return known;
}

/** Signs of the locale data that pages show most, and the short ones that they show as money more than as a measure. */
const OFTEN_SHOWN = 'kr rs rs. fr f ft tl r rp rm zl bs kč zł forint dollars euro'.split(' ');
const TYPED_SIGNS = Object.values(TYPED).flatMap((list) => list.split(' '));
const LETTER = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;
/** One or two Latin letters are units and initials more often than money: `km`, `L`, `Q 5`. */
const BARE = /^[a-z]{1,2}$/;
/** As they are printed here they measure things, whatever money is called so elsewhere. */
const UNITS = new Set(['km', 'kg', 'g', 'l', 'm', 'cm', 'h', 'ft']);

/**
 * The usual signs and words for a currency, in any case, as one alternation, longest first; letters only where no other letter
 * touches them. The borders stand around groups of signs, not around each: classes of all letters are slow to compile. The
 * look ahead spares the alternation where none can begin.
 */
export const CURRENCY_PATTERN: string = `(?![\\s\\d.,])(?:${[
  group((sign) => startsWithLetter(sign) && !endsWithLetter(sign), '(?<!\\p{L})', ''),
  group((sign) => startsWithLetter(sign) && endsWithLetter(sign), '(?<!\\p{L})', '(?!\\p{L})'),
  group((sign) => !startsWithLetter(sign), '', ''),
  '\\p{Sc}',
].join('|')})`;

function group(belongs: (sign: string) => boolean, before: string, after: string): string {
  const found = [...new Set([...TYPED_SIGNS, ...OFTEN_SHOWN])]
    .filter((sign) => belongs(sign) && (!BARE.test(sign) || OFTEN_SHOWN.includes(sign)))
    .sort((a, b) => b.length - a.length);
  const escaped = found.map((sign) => sign.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return `${before}(?:${anyCase(escaped.join('|'))})${after}`;
}

function startsWithLetter(sign: string): boolean {
  return LETTER.test(sign[0] ?? '');
}

function endsWithLetter(sign: string): boolean {
  return LETTER.test(sign.at(-1) ?? '');
}

/** What a code (in capitals), sign or word may mean, whatever its case, accents, spaces and closing dots; undefined for others. */
export function readCurrency(printed: string): PrintedCurrency | undefined {
  const text = printed.trim();
  if (/^[A-Z]{3}$/.test(text) && (isCurrency(text) || isWithdrawn(text)))
    return { codes: new Set([text]), usual: text, trusted: 'anywhere' };
  const small = text.toLowerCase();
  const exact = signs.get(small);
  const plain = signs.get(signKey(text));
  if (!exact && !plain) return undefined;
  const codes = exact && plain && exact !== plain ? new Set([...exact.codes, ...plain.codes]) : (exact ?? plain)!.codes;
  const usual =
    exact?.usual ?? plain?.usual ?? (codes.size === 1 ? [...codes][0] : STRONGEST.find((code) => codes.has(code)));
  if (UNITS.has(text)) return { codes, usual, trusted: 'at home' };
  return { codes, usual, trusted: BARE.test(small) && !OFTEN_SHOWN.includes(small) ? 'alone' : 'anywhere' };
}

/** The currency that a printed sign means: the one of the country if it is among them, else the usual one, if there is one. */
export function settleCurrency({ codes, usual }: PrintedCurrency, country: string | undefined): string | undefined {
  const local = currencyOfCountry(country);
  return local !== undefined && codes.has(local) ? local : usual;
}

/** The ISO 4217 code of a code in any case, a symbol or a word (`€`, `Lei`, `kr` with its country), or undefined when it stays open. */
export function currencyOf(printed: string | undefined, country?: string): string | undefined {
  const text = printed?.normalize('NFKC').trim() ?? '';
  const found = readCurrency(/^[a-z]{3}$/i.test(text) ? text.toUpperCase() : text) ?? readCurrency(text);
  return found && settleCurrency(found, country);
}
