import { toWesternDigits } from './amount.ts';
import { currencyOf, settleCurrency, type PrintedCurrency } from './currencies.ts';
import { currencyOfCountry } from './currency-countries.ts';
import { findCurrency } from './currency-in-text.ts';
import { repairMojibake } from './mojibake.ts';
import { readSums, type Sum } from './price-sums.ts';

/** A canonical price; amount 0 means that none is asked in public (on request, free, to be offered). */
export type NormalPrice = { amount: number; currency: string; negotiable: boolean };

/** `currency`: code or symbol given beside the price; `country`: two letters, settles signs that several countries use. */
export type PriceContext = { currency?: string; country?: string };

const MAX_AMOUNT = 1e12;
const MAX_LETTERS = 20;
const FALLBACK_CURRENCY = 'EUR';
const MAX_BESIDE = 100;

const ON_REQUEST = [
  /(?:on|upon|up on|by)\s+(?:request|application|enquiry)|\bp\.?o\.?a\b|make (?:an )?offer/i,
  /(?:call|contact|ask|email|inquire|enquire)(?: us)? for (?:a )?(?:price|pricing|quote)/i,
  /auf anfrage|gegen gebot|bieten|op aanvraag|na zapytanie/i,
  /(?:sur|à la) demande|nous consulter|prix à débattre|su richiesta|trattativa (?:privata|riservata)/i,
  /a consultar|consultar precio|precio a convenir|по запросу|договорная/iu,
  /가격\s?(?:문의|협의|상담)|お問い?合わせ|ご相談|応相談|価格応談/u,
];
const FREE =
  /^(?:free|gratis|kostenlos|gratuit|gratuito|zu verschenken|à donner|se regala|in regalo|bortskänkes|무료(?:\s?나눔)?|나눔|無料)[ !.]*$/iu;
const NEGOTIABLE =
  /(?<!\p{L})(?:vb|vhb|vhs|obo|o\.b\.o\.?|ono|o\.n\.o\.?|neg\.?|negotiable|verhandlungsbasis|verhandelbar|festpreis vb|à débattre|négociable|negociable|trattabil[ei]|tratt\.|onderhandelbaar|bieden|do negocjacji|prutmån|torg|or (?:best|nearest|near) offer|best offer|가격\s?(?:제안|협의)(?:\s?가능)?|네고(?:\s?가능)?|値下げ(?:交渉)?可|値引き可)(?!\p{L})/iu;
const NOT_NEGOTIABLE =
  /(?<!\p{L})(?:not|non|nicht|no|kein|fixed|firm|festpreis|ferme)(?!\p{L})(?:.{0,3}(?:vb|vhb|negotiable|négociable|negociable|trattabil[ei]|verhandelbar))?/iu;
/**
 * The price a text asks. Of several amounts those with a currency win, then the first; a range gives its low end, struck
 * (`was`, `RRP`) amounts and percentages never count. The currency is one of ISO 4217, in use or withdrawn. Undefined when no
 * amount, or no currency for it, can be told.
 */
export function normalizePrice(text: string, context: PriceContext = {}): NormalPrice | undefined {
  const clean = toWesternDigits(repairMojibake(text.slice(0, 500)))
    .replace(/[\s\u200e\u200f]+/g, ' ')
    .replace(/(?<![\p{L}\d.,])\d+(?:\.\d+)?e[+-]?\d{1,2}(?![\p{L}\d])/giu, plainNumber)
    .replace(/(?<!\p{L})(us|ca?|au?|nz|hk|s|nt|mx|r) \$/giu, '$1$')
    // `$.75` and `$119. 95`: a point without its digits, or away from them.
    .replace(/(?<![\d.,\p{L}])\.{1,2}(?=\d{2}(?!\d))/gu, '0.')
    .replace(/(?<=\d[.,]) (?=\d{2}$)/, '')
    .trim();
  const negotiable = NEGOTIABLE.test(clean) && !NOT_NEGOTIABLE.test(clean);
  const named = currencyBeside(context);
  const sums = readSums(clean, { named, country: context.country });
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

/** The currency given beside a price, also among other words: `DKK/stk`, `£ 4.99`. */
function currencyBeside({ currency, country }: PriceContext): string | undefined {
  if (currency === undefined) return undefined;
  const found = currencyOf(currency, country);
  if (found !== undefined || currency.length > MAX_BESIDE) return found;
  const sign = findCurrency(currency);
  return sign && settleCurrency(sign, country);
}

function currencyFor(
  sign: PrintedCurrency | undefined,
  named: string | undefined,
  country?: string,
): string | undefined {
  if (sign === undefined) return named ?? currencyOfCountry(country);
  if (sign.codes.size > 1 && named !== undefined && sign.codes.has(named)) return named;
  return settleCurrency(sign, country) ?? named;
}
