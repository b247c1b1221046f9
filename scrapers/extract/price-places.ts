import { NUMBER_PATTERN, toWesternDigits } from '../../shared/normalize/amount.ts';
import { anyCase } from '../../shared/normalize/any-case.ts';
import { CURRENCY_PATTERN } from '../../shared/normalize/currencies.ts';
import { repairMojibake } from '../../shared/normalize/mojibake.ts';
import { normalizePrice } from '../../shared/normalize/price.ts';
import { memoizeText } from './memoize-text.ts';
import { ancestorsOf, parentOf, signatureOf, nameWordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import type { DomElement } from '../../shared/kit/html/dom.ts';
import { lineOf } from '../../shared/kit/html/text.ts';

const MAX_TEXT = 60;
const MAX_CANDIDATES = 400;

/** The words by which the makers of pages name what holds a price. */
export const PRICE_WORD = /price|preis|prix|precio|prezzo|preco|cena|prijs|pris|amount|betrag|kaufpreis|fiyat/;

const CODE = '(?<!\\p{L})[A-Z]{3}(?!\\p{L})';
const SIGN = new RegExp(CURRENCY_PATTERN, 'iu');
const AMOUNT = `${NUMBER_PATTERN}(?:\\s?[.,]?[-–—]{1,2})?`;
const PIECES = anyCase(
  'piece|pieces|pcs?|each|ea|item|unit|stk|stück|szt|ks|db|buc|st|pce|pièce|ud|pz|adet|шт|個|台|개|대',
);
const PIECE = `\\s?/?\\s?(?:${PIECES})\\.?`;
const RANGE = `\\s*(?:[-–—]|${anyCase('to|bis')})\\s*[^%]{1,15}`;
const TERMS = `\\s*\\(?(?:${anyCase('vb|vhb|obo|ono|incl?\\.?.{0,20}|inkl\\.?.{0,20}')})\\)?`;
const PRICE = new RegExp(
  `^(?:\\p{L}[\\p{L} ]{0,20}:?\\s*)?(?:(?:${CURRENCY_PATTERN}|${CODE})\\s?${AMOUNT}|${AMOUNT}\\s?(?:${CURRENCY_PATTERN}|${CODE}))` +
    `(?:${PIECE}|${RANGE}|\\s*\\*+|${TERMS})?$`,
  'u',
);
/** Words that are a currency and a measure: only a place that is about prices tells which. */
const MEASURE = /\d\s*(?:pounds?|ft|f|r|rm|din)\.?$/iu;
const CENTS_WORDS = /^(?:cents?|fraction|decimals?|dec|sup|superscript|minor|groszy|haler)$/;

/** A text of a page that is nothing but a price: where it stands, what it says, and how that place is built. */
export type ShownAmount = {
  element: DomElement;
  text: string;
  amount: number;
  /** Tag and class of the element and the two around it: places built alike are cells of a list. */
  signature: string;
  /** The same without the element itself. */
  around: string;
};

/** Every short text of the page's own parts that is nothing but a price, in document order; at most 400. */
export function findPrices(layout: Layout): ShownAmount[] {
  const places: ShownAmount[] = [];
  const seen = new Set<DomElement>();
  const lines: Lines = new Map();
  for (const element of layout.page.elements) {
    if (places.length >= MAX_CANDIDATES) break;
    if (layout.away.has(element) || !hasDigits(element)) continue;
    const place = priceAround(element, lines);
    if (!place || seen.has(place.element)) continue;
    if (MEASURE.test(place.text) && !ancestorsOf(element, 3).concat(element).some(isPriced)) continue;
    seen.add(place.element);
    const amount = amountOf(place.text);
    if (amount === undefined || amount === 0) continue;
    const [own = '', ...around] = signatureOf(place.element);
    places.push({ ...place, amount, signature: [own, ...around].join('<'), around: around.join('<') });
  }
  return places;
}

/** What the line of an element says, its digits as western ones, and whether that is nothing but a price. */
type Line = { text: string; isPrice: boolean };
/** The line of each element that was looked at: cells of a table have their ancestors in common. */
type Lines = Map<DomElement, Line>;

const readLine = (line: string): Line => {
  const text = toWesternDigits(repairMojibake(line));
  return { text, isPrice: text.length <= MAX_TEXT && PRICE.test(text) };
};
const readShortLine = memoizeText(readLine);
/** Crowns stay open without a country; any will do to read the amount. */
const amountOf = memoizeText((text) => normalizePrice(text, SIGN.test(text) ? { currency: 'SEK' } : {})?.amount);

/** The smallest element around some digits whose whole text is a price: sign and cents often have tags of their own. */
function priceAround(element: DomElement, lines: Lines): { element: DomElement; text: string } | undefined {
  let around: DomElement | undefined = element;
  for (let level = 0; around && level <= 3; level += 1) {
    let line = lines.get(around);
    if (!line) {
      const printed = priceLine(around);
      line = printed.length <= MAX_TEXT ? readShortLine(printed) : readLine(printed);
      lines.set(around, line);
    }
    if (line.text.length > MAX_TEXT) return undefined;
    if (line.isPrice) return { element: around, text: line.text };
    around = parentOf(around);
  }
  return undefined;
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
  return nameWordsOf(element).some((word) => PRICE_WORD.test(word));
}

function hasDigits(element: DomElement): boolean {
  return element.children.some(
    (child) => child.type === 'text' && child.data.length < 200 && /\p{Nd}/u.test(child.data),
  );
}
