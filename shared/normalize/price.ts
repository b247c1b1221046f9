import { isCurrency } from '../kit/codes.ts';
import { NUMBER_PATTERN, parseAmount, scaleAfter, toWesternDigits } from './amount.ts';
import { anyCase } from './any-case.ts';
import { CURRENCY_PATTERN, currencyOf, currencyOfCountry, isSharedSign } from './currencies.ts';
import { repairMojibake } from './mojibake.ts';

/** A canonical price; amount 0 means that none is asked in public (on request, free, to be offered). */
export type NormalPrice = { amount: number; currency: string; negotiable: boolean };

/** `currency`: code or symbol given beside the price; `country`: two letters, settles signs that several countries use. */
export type PriceContext = { currency?: string; country?: string };

const MAX_AMOUNT = 1e12;
const MAX_LETTERS = 20;
const FALLBACK_CURRENCY = 'EUR';
const THREE_DECIMALS = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']);

/** Any capitals may be a code, small letters only those of the codes that people type so: `bis` is none. */
const CODE = `(?:[A-Z]{3}|${anyCase('eur|usd|gbp|chf|sek|nok|dkk|pln|czk|huf|ron|cad|aud|jpy|krw|inr')})`;
const SCALE = anyCase('k|tsd\\.?|mio\\.?|mln\\.?|mn|million(?:en|s|es)?|millones|milioni|lakhs?|lacs?|crores?|cr|m');

const MONEY = new RegExp(
  `(?:(?<before>${CURRENCY_PATTERN}|(?<!\\p{L})${CODE}(?!\\p{L}))[ :.]{0,3}|(?<![\\p{L}\\d.,]))` +
    `(?<number>${NUMBER_PATTERN})(?<tail>[ ]?[.,][-–—]{1,2}|[ ]?[-–—]{2})?` +
    `(?<scale>[ ]?(?:[万만萬億억亿]|(?:${SCALE})(?![\\p{L}²³\\d])))?` +
    `(?:[ ]?(?<after>${CURRENCY_PATTERN}|${CODE}(?!\\p{L})))?(?<percent>[ ]?%)?`,
  'gu',
);

const ON_REQUEST = [
  /(?:on|upon|up on|by)\s+(?:request|application|enquiry)|\bp\.?o\.?a\b|make (?:an )?offer/i,
  /(?:call|contact|ask|email|inquire|enquire)(?: us)? for (?:a )?(?:price|pricing|quote)/i,
  /auf anfrage|gegen gebot|bieten|op aanvraag|na zapytanie/i,
  /(?:sur|à la) demande|nous consulter|prix à débattre|su richiesta|trattativa (?:privata|riservata)/i,
  /a consultar|consultar precio|precio a convenir|по запросу|договорная/iu,
  /가격\s?(?:문의|협의|상담)|お問い?合わせ|ご相談|応相談|価格応談/u,
];
const FREE =
  /^(?:free|gratis|kostenlos|gratuit|gratuito|zu verschenken|à donner|se regala|in regalo|bortskänkes|무료(?:\s?나눔)?|나눔|無料)$/iu;
const NEGOTIABLE =
  /(?<!\p{L})(?:vb|vhb|vhs|obo|o\.b\.o\.?|ono|o\.n\.o\.?|neg\.?|negotiable|verhandlungsbasis|verhandelbar|festpreis vb|à débattre|négociable|negociable|trattabil[ei]|tratt\.|onderhandelbaar|bieden|do negocjacji|prutmån|torg|or (?:best|nearest|near) offer|best offer|가격\s?(?:제안|협의)(?:\s?가능)?|네고(?:\s?가능)?|値下げ(?:交渉)?可|値引き可)(?!\p{L})/iu;
const NOT_NEGOTIABLE =
  /(?<!\p{L})(?:not|non|nicht|no|kein|fixed|firm|festpreis|ferme)(?!\p{L})(?:.{0,3}(?:vb|vhb|negotiable|négociable|negociable|trattabil[ei]|verhandelbar))?/iu;
const FORMER =
  /(?:was|were|statt|instead of|before|rrp|msrp|uvp|list price|au lieu de|antes|invece di|anziché|prima|regular(?:ly)?|old price|previously|ancien prix|ehemals|vorher)(?:\s*:)?\s*$/iu;

const TAX = /(?:mwst|vat|tva|iva|tax)\D{0,8}$/iu;

type Sum = { amount: number; sign?: string; end: number; start: number };

/**
 * The price a text asks. Of several amounts those with a currency win, then the first; a range gives its low end, struck
 * (`was`, `RRP`) amounts and percentages never count. Undefined when no amount, or no currency for it, can be told.
 */
export function normalizePrice(text: string, context: PriceContext = {}): NormalPrice | undefined {
  const clean = toWesternDigits(repairMojibake(text.slice(0, 500)))
    .replace(/[\s\u200e\u200f]+/g, ' ')
    .replace(/(?<![\p{L}\d.,])\d+(?:\.\d+)?e[+-]?\d{1,2}(?![\p{L}\d])/giu, plainNumber)
    .replace(/(?<!\p{L})(us|ca?|au?|nz|hk|s|nt|mx|r) \$/giu, '$1$')
    .trim();
  const negotiable = NEGOTIABLE.test(clean) && !NOT_NEGOTIABLE.test(clean);
  const named = currencyOf(context.currency, context.country);
  const sums = readSums(clean, named);
  const chosen = chooseSum(sums, clean);
  if (chosen && chosen.sign === undefined && isProse(clean)) return undefined;
  if (!chosen) {
    const isOpen = ON_REQUEST.some((phrase) => phrase.test(clean)) || FREE.test(clean) || negotiable;
    const currency = named ?? currencyOfCountry(context.country) ?? FALLBACK_CURRENCY;
    return isOpen ? { amount: 0, currency, negotiable } : undefined;
  }
  const currency = currencyFor(chosen.sign, named, context.country);
  if (currency === undefined || chosen.amount > MAX_AMOUNT) return undefined;
  return { amount: Math.round(chosen.amount * 1000) / 1000, currency, negotiable };
}

/** Exports of tables write great sums as `1.2849999999999999e+07`. */
function plainNumber(printed: string): string {
  return String(Math.round(Number(printed) * 1000) / 1000);
}

function readSums(clean: string, named: string | undefined): Sum[] {
  const sums: Sum[] = [];
  for (const match of clean.matchAll(MONEY)) {
    const { before, number = '', scale = '', after, percent } = match.groups ?? {};
    const sign = signOf(before) ?? signOf(after);
    const code = currencyOf(sign) ?? named;
    const amount = parseAmount(number, code !== undefined && THREE_DECIMALS.has(code) ? 3 : 2);
    if (amount === undefined || percent !== undefined) continue;
    const start = match.index + (signOf(before) === undefined ? match[0].indexOf(number) : 0);
    const ahead = clean.slice(0, start);
    if (FORMER.test(ahead) || (sign === undefined && TAX.test(ahead))) continue;
    sums.push({ amount: amount * scaleAfter(scale), sign, start, end: match.index + match[0].length });
  }
  return sums;
}

function chooseSum(sums: Sum[], clean: string): Sum | undefined {
  const first =
    sums.find(({ sign, amount }) => sign !== undefined && amount > 0) ?? sums.find(({ sign }) => sign) ?? sums[0];
  if (!first) return undefined;
  const index = sums.indexOf(first);
  const [low, high] = [sums[index - 1], first];
  const follows = sums[index + 1];
  if (low && low.sign === undefined && isRange(clean.slice(low.end, high.start)) && low.amount < high.amount) {
    return { ...low, sign: high.sign };
  }
  if (follows && isRange(clean.slice(first.end, follows.start)) && follows.amount < first.amount) {
    return { ...follows, sign: follows.sign ?? first.sign };
  }
  return first;
}

/** A number without any currency among many words is a year, a size, a model: no price. */
function isProse(clean: string): boolean {
  return clean.replace(NEGOTIABLE, '').replace(/[^\p{L}]+/gu, '').length > MAX_LETTERS;
}

function isRange(between: string): boolean {
  return /^\s*(?:[-–—~〜]|to|bis|à|a|hasta|tot|до|till|and|und|et|y|e)\s*$/iu.test(between);
}

/** Three capitals before a number are a currency only when ISO says so: `LOA 12` is none. */
function signOf(sign: string | undefined): string | undefined {
  if (sign === undefined) return undefined;
  return currencyOf(sign) !== undefined || isSharedSign(sign) ? sign : undefined;
}

function currencyFor(sign: string | undefined, named: string | undefined, country?: string): string | undefined {
  if (sign === undefined) return named ?? currencyOfCountry(country);
  if (isCurrency(sign.toUpperCase()) || !isSharedSign(sign)) return currencyOf(sign, country);
  return named ?? currencyOf(sign, country) ?? currencyOfCountry(country);
}
