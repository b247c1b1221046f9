import { NUMBER_PATTERN, parseAmount, scaleAfter } from './amount.ts';
import { anyCase } from './any-case.ts';
import { settleCurrency, type PrintedCurrency } from './currencies.ts';
import { currencyOfCountry } from './currency-countries.ts';
import { readCurrencyAfter, readCurrencyBefore, type NearCurrency } from './currency-in-text.ts';

/** An amount of a text, where it stands with its currency, and what that may mean. */
export type Sum = { amount: number; sign?: PrintedCurrency; end: number; start: number };

const THREE_DECIMALS = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']);
const SCALE = anyCase('k|tsd\\.?|mio\\.?|mln\\.?|mn|million(?:en|s|es)?|millones|milioni|lakhs?|lacs?|crores?|cr|m');
const AMOUNT = new RegExp(
  `(?<number>${NUMBER_PATTERN})(?:[ ]?[.,][-–—]{1,2}|[ ]?[-–—]{2})?` +
    `(?<scale>[ ]?(?:[万만萬億억亿]|(?:${SCALE})(?![\\p{L}²³\\d])))?`,
  'gu',
);
const FORMER =
  /(?:was|were|statt|instead of|before|rrp|msrp|uvp|list price|au lieu de|antes|invece di|anziché|prima|regular(?:ly)?|old price|previously|ancien prix|ehemals|vorher)(?:\s*:)?\s*$/iu;
const TAX = /(?:mwst|vat|tva|iva|tax)\D{0,8}$/iu;
/** A sum that is taken off another. */
const SAVING =
  /(?<!\p{L})(?:you save|save|savings?|discount|rabatt|sie sparen|ersparnis|économisez|remise|ahorra|descuento|risparmi|sconto)(?: of| von| de| di)?[: ]{0,3}$/iu;
/** What is sent free above a sum tells the sum of an order. */
const FREE_SHIPPING =
  /(?:free (?:shipping|delivery|postage)|(?:versandkosten|porto|fracht)frei|livraison (?:gratuite|offerte)|envío gratis|spedizione gratuita|gratis verzending|fri frakt)/iu;
const MONTH =
  /(?<!\p{L})(?:jan|feb|fév|ene|gen|m[aä]r|apr|avr|abr|may|mai|mag|jun|juin|giu|jul|juil|lug|ago|aug|aoû|sep|set|o[ck]t|ott|nov|de[cz]|dic|déc)\p{L}{0,7}[., ]{1,3}$/iu;
const DATE = /^\d{1,2}\.\d{1,2}\.(?:19|20)\d{2}$/;
/** Numbers of things, not of money: `Prod #: 44`, `Art. 12`, and `2 FREE CLASSES`. */
const NAMED_NUMBER = /(?:#|№|(?<!\p{L})(?:no|nr|art|item|sku|isbn|ref|id|tel|phone|model))[.:# ]{0,3}$/iu;
const COUNTED =
  /^ (?!(?:each|per|incl|inkl|inc|excl|exkl|plus|zzgl|only|now|pro|par|por|ttc|net|vb|vhb|obo|ono|neg)(?!\p{L}))\p{L}{3}/iu;
const DAY_AND_MONTH = /^\d{1,2}-0\d$/;
const MEASURE = /^ ?(?:[cm]m|km|m|kg|g|l|ft|in|lbs?|hp|ps|kw|h)(?:[²³23]|(?![\p{L}\d]))/iu;
/** One letter that touches digits names a model more often than money: `EOS R6`, `R1200 GS`, `F150`. */
const INITIAL = /(?<!\p{L})[a-z]$/iu;
const BARE_NUMBER = /^\d+$/;
const EMPTY = /^[^\p{L}\d]*$/u;

/**
 * The amounts of a text in its order, with the currency printed before or behind each: no percentages, no former prices, no dates,
 * no numbers in names. One or two letters, which may be a unit or an initial, are a currency only in their country or where
 * the text holds nothing else.
 */
export function readSums(text: string, { named, country }: { named?: string; country?: string }): Sum[] {
  const sums: Sum[] = [];
  let read = 0;
  for (const match of text.matchAll(AMOUNT)) {
    const { number = '', scale = '' } = match.groups ?? {};
    const ahead = text.slice(read, match.index);
    const rest = text.slice(match.index + match[0].length);
    const { front, back } = readSigns(ahead, number + scale, rest, country);
    if (!front && /[\p{L}.,]$/u.test(ahead)) continue;
    const sign = front && !(back && isNarrower(back, front)) ? front : back;
    const start = match.index - (front?.length ?? 0);
    const end = match.index + match[0].length + (front && sign === front ? 0 : (back?.length ?? 0));
    read = end;
    const code = (sign && settleCurrency(sign, country)) ?? named;
    const amount = parseAmount(number, code !== undefined && THREE_DECIMALS.has(code) ? 3 : 2);
    if (
      amount === undefined ||
      /^ ?%/.test(text.slice(end)) ||
      isOther(text.slice(0, start), number, sign, text.slice(end))
    )
      continue;
    sums.push({ amount: amount * scaleAfter(scale), sign, start, end });
  }
  return sums;
}

function readSigns(
  ahead: string,
  number: string,
  rest: string,
  country?: string,
): { front?: NearCurrency; back?: NearCurrency } {
  const front = readCurrencyBefore(ahead);
  const back = readCurrencyAfter(rest);
  const isModel = front?.length === 1 && INITIAL.test(ahead) && BARE_NUMBER.test(number);
  const isTrusted = (sign: NearCurrency, left: string, right: string) =>
    (sign.trusted === 'anywhere' && !(isModel && sign === front)) ||
    sign.codes.has(currencyOfCountry(country) ?? '') ||
    (sign.trusted !== 'at home' && EMPTY.test(left) && EMPTY.test(right));
  return {
    front: front && isTrusted(front, ahead.slice(0, ahead.length - front.length), rest) ? front : undefined,
    back: back && isTrusted(back, ahead, rest.slice(back.length)) ? back : undefined,
  };
}

/** `$ 12 CAD`: what stands behind tells which of those that stand in front is meant. */
function isNarrower(back: PrintedCurrency, front: PrintedCurrency): boolean {
  return back.codes.size < front.codes.size && [...back.codes].every((code) => front.codes.has(code));
}

/** Whether a number is something else than the price: what was asked before, a tax rate, a date, a limit for free shipping. */
function isOther(ahead: string, number: string, sign: PrintedCurrency | undefined, rest: string): boolean {
  if (FORMER.test(ahead) || SAVING.test(ahead) || FREE_SHIPPING.test(ahead)) return true;
  if (sign !== undefined) return false;
  if (DAY_AND_MONTH.test(number + rest) || /^\d{1,2}-$/.test(ahead)) return true;
  if (/^\d{4}$/.test(number) && MONTH.test(ahead)) return true;
  if (/^\d{1,2}$/.test(number) && COUNTED.test(rest) && !/\d/.test(rest)) return true;
  return MEASURE.test(rest) || TAX.test(ahead) || NAMED_NUMBER.test(ahead) || DATE.test(number);
}
