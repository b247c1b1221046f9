import { NUMBER_PATTERN, toWesternDigits } from '../../shared/normalize/amount.ts';
import { CURRENCY_PATTERN } from '../../shared/normalize/currencies.ts';
import { repairMojibake } from '../../shared/normalize/mojibake.ts';
import { normalizePrice } from '../../shared/normalize/price.ts';
import { isCurrency } from '../../shared/kit/codes.ts';
import { memoizeText } from '../../shared/kit/memoize-text.ts';
import { ancestorsOf, nameWordsOf, parentOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import type { DomElement } from '../../shared/kit/html/dom.ts';
import { lineOf, ownText } from '../../shared/kit/html/text.ts';

const MAX_TEXT = 80;
const MAX_AROUND = 32;
const MAX_CANDIDATES = 400;

/** The words by which the makers of pages name what holds a price. */
export const PRICE_WORD = /price|preis|prix|precio|prezzo|preco|cena|prijs|^pris$|amount|betrag|fiyat/;

const NUMBER = new RegExp(NUMBER_PATTERN, 'g');
const SIGN_BEFORE = new RegExp(`(?:${CURRENCY_PATTERN}|\\p{Sc}|(?<!\\p{L})(?<code>[A-Z]{3}))[\\s:.]{0,3}$`, 'iu');
const SIGN_AFTER = new RegExp(
  `^(?:\\s?[.,]?[-–—]{1,2})?\\s?(?:${CURRENCY_PATTERN}|\\p{Sc}|(?<code>[A-Z]{3})(?!\\p{L}))`,
  'iu',
);
/** Between the two ends of a range. */
const TO = /^(?:\s?\S{1,3})?\s*(?:[-–—~]|to|bis|à|a|до)\s*(?:\S{1,3}\s?)?$/iu;
/** What a price includes says nothing of its amount. */
const INCLUDED = /\(?(?<!\p{L})(?:inc|ink|zzgl|excl?|exkl|tva|iva|vat|mwst)\p{L}*\.?[^()]{0,30}\)?$/iu;
/** Words that are a currency and a measure: only a place that is about prices tells which. */
const MEASURE = /\d\s*(?:pounds?|ft|f|r|rm|din|m|t|l|p)\.?$/iu;
const CENTS_WORDS = /^(?:cents?|fraction|decimals?|dec|sup|superscript|minor|groszy|haler)$/;

/** A short text of a page that may be a price: where it stands and what it says. */
export type PriceCandidate = {
  element: DomElement;
  /** As printed, its digits as western ones. */
  text: string;
  amount: number;
  hasSign: boolean;
  isRange: boolean;
  /** What stands around number and sign. */
  before: string;
  after: string;
};

type Reading = Omit<PriceCandidate, 'element'>;

/**
 * Every short text that a number and a currency make up, and numbers alone in places named after prices, in document order;
 * at most 400.
 */
export function findPriceCandidates(layout: Layout): PriceCandidate[] {
  const candidates: PriceCandidate[] = [];
  const seen = new Set<DomElement>();
  const lines = new Map<DomElement, string>();
  for (const element of layout.page.elements) {
    if (candidates.length >= MAX_CANDIDATES) break;
    if (!hasDigits(element)) continue;
    const found = readAround(element, lines);
    if (!found || seen.has(found.element)) continue;
    seen.add(found.element);
    candidates.push(found);
  }
  return candidates;
}

/** The smallest element around some digits whose whole text is a price (sign and cents often have tags of their own), else its own text. */
function readAround(element: DomElement, lines: Map<DomElement, string>): PriceCandidate | undefined {
  let around: DomElement | undefined = element;
  let bare: PriceCandidate | undefined;
  for (let level = 0; around && level <= 3; level += 1) {
    const line = lines.get(around) ?? priceLine(around);
    lines.set(around, line);
    if (line.length > MAX_TEXT) break;
    const reading = readPriceText(line);
    if (reading?.hasSign && (!MEASURE.test(line) || isPriced(around))) return { ...reading, element: around };
    if (reading && !reading.hasSign && !bare) bare = { ...reading, element: around };
    around = parentOf(around);
  }
  if (bare && isPriced(bare.element)) return bare;
  const own = ownText(element);
  const reading = own.length <= MAX_TEXT ? readPriceText(own) : undefined;
  return reading?.hasSign && (!MEASURE.test(own) || isPriced(element)) ? { ...reading, element } : undefined;
}

/** The price that a short text is, with what stands around it; undefined for other texts. */
const readPriceText = memoizeText((line): Reading | undefined => {
  const text = toWesternDigits(repairMojibake(line));
  const core = text.replace(INCLUDED, (part, ...rest) => (Number(rest.at(-2)) > 2 ? '' : part)).trim();
  const [first, second, ...others] = core.matchAll(NUMBER);
  if (!first || others.length > 0 || text.includes('%')) return undefined;
  const before = core.slice(0, first.index);
  const end = first.index + first[0].length;
  if (second && !TO.test(core.slice(end, second.index))) return undefined;
  const after = core.slice(second ? second.index + second[0].length : end);
  if (before.length > MAX_AROUND || after.length > MAX_AROUND) return undefined;
  const [ahead, behind] = [SIGN_BEFORE.exec(before), SIGN_AFTER.exec(core.slice(end))];
  const hasSign = isSign(ahead) || isSign(behind);
  if (!hasSign && /\p{L}/u.test(before.at(-1) ?? '')) return undefined;
  // Crowns stay open without a country; any will do to read the amount.
  const amount = normalizePrice(core, { currency: 'SEK' })?.amount;
  return amount === undefined || amount === 0
    ? undefined
    : {
        text,
        amount,
        hasSign,
        isRange: second !== undefined,
        before: isSign(ahead) ? before.slice(0, ahead?.index) : before,
        after: isSign(behind) && !second ? after.slice(behind?.[0].length) : after,
      };
});

function isSign(match: RegExpExecArray | null): boolean {
  const code = match?.groups?.code;
  return match !== null && (code === undefined || isCurrency(code));
}

/** The line of an element; cents in a tag of their own right behind the whole units get the point they are drawn without. */
function priceLine(element: DomElement): string {
  const line = lineOf(element, MAX_TEXT * 3);
  if (!/\d{3}/.test(line) || line.length > MAX_TEXT) return line;
  for (const [index, child] of element.children.entries()) {
    if (!isElement(child) || !/^\d{2}$/.test(lineOf(child, 10))) continue;
    const before = element.children[index - 1];
    const isGlued = before?.type === 'text' && /(?<![.,]\d{0,2})\d$/.test(before.data);
    const isNamed = nameWordsOf(child).some((word) => CENTS_WORDS.test(word)) || child.name === 'sup';
    if (!isGlued && !isNamed) continue;
    const cents = lineOf(child, 10);
    const units = before && isElement(before) ? lineOf(before, 30) : before?.type === 'text' ? before.data.trim() : '';
    if (!/\d$/.test(units)) continue;
    return line.replace(`${units}${cents}`, `${units}.${cents}`);
  }
  return line;
}

function isPriced(element: DomElement): boolean {
  return [element, ...ancestorsOf(element, 2)].some((around) =>
    nameWordsOf(around).some((word) => PRICE_WORD.test(word)),
  );
}

function hasDigits(element: DomElement): boolean {
  return element.children.some(
    (child) => child.type === 'text' && child.data.length < 200 && /\p{Nd}/u.test(child.data),
  );
}
