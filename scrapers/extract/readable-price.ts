import { normalizePrice } from '../normalize/price.ts';
import { CURRENCY_PATTERN } from '../normalize/currencies.ts';
import { NUMBER_PATTERN, toWesternDigits } from '../normalize/amount.ts';
import { repairMojibake } from '../normalize/mojibake.ts';
import { ancestorsOf, distanceToHeading, isHidden, wordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { isElement } from './page.ts';
import type { DomElement, DomNode } from './page.ts';
import { lineOf } from './text.ts';

const MAX_TEXT = 60;
const MAX_CANDIDATES = 400;
const ENOUGH = 3;
const CLEAR = 0.75;
const MAX_RIVALS = 3;

const CODE = '(?<!\\p{L})(?-i:[A-Z]{3})(?!\\p{L})';
const SIGN = new RegExp(CURRENCY_PATTERN, 'iu');
const AMOUNT = `${NUMBER_PATTERN}(?:\\s?[.,]?[-–—]{1,2})?`;
const PRICE = new RegExp(
  `^(?:\\p{L}[\\p{L} ]{0,20}:?\\s*)?(?:(?:${CURRENCY_PATTERN}|${CODE})\\s?${AMOUNT}|${AMOUNT}\\s?(?:${CURRENCY_PATTERN}|${CODE}))` +
    `(?:\\s*(?:[-–—]|to|bis)\\s*.{1,15}|\\s*\\*+|\\s*\\(?(?:vb|vhb|obo|ono|incl?\\.?.{0,20}|inkl\\.?.{0,20})\\)?)?$`,
  'iu',
);
const GOOD = /^(?:our|sale|current|now|final|main|actual|buy|deal|special|offer|product|detail|total|today|selling)$/;
const PRICE_WORD = /price|preis|prix|precio|prezzo|preco|cena|prijs|pris|amount|betrag|kaufpreis|fiyat/;
const BAD =
  /^(?:old|was|list|strike|strikethrough|striked|barred|before|rrp|msrp|uvp|regular|original|crossed|cross|previous|save|saving|savings|saved|discount|shipping|delivery|versand|postage|unit|per|installment|instalment|finance|financing|monthly|month|rate|tax|coupon|points|cashback|deposit|min|max|minimum|threshold|swatch|used|refurbished|condition|plan|protection|warranty|subscribe|label|title|range|slider|converted|convert|approx)$/;
const FORMER_TEXT =
  /(?:was|statt|instead of|before|rrp|msrp|uvp|list(?:\s?price)?|au lieu de|antes|invece di|anziché|versand|shipping|delivery|postage|livraison|envío|spedizione|save|you save|sie sparen|économisez|per month|monthly)\W*$/iu;

/** A price printed on a page, with the score of its place. */
export type PricePlace = { text: string; amount: number; score: number };

/**
 * The price the page itself asks, as printed: of all short texts that are nothing but a price the one whose place speaks
 * most for it. Undefined when no place does clearly, as on lists.
 */
export function readPrice(layout: Layout): PricePlace | undefined {
  const places = findPlaces(layout);
  const byAmount = Map.groupBy(places, ({ amount }) => amount);
  const cells = [
    Map.groupBy(places, ({ signature }) => signature),
    Map.groupBy(places, ({ around }) => around),
  ] as const;
  const scored: PricePlace[] = [];
  for (const { element, text, amount, signature, around } of places) {
    const alike = repeatsIn(cells[0].get(signature));
    const isCell = alike > 3 || repeatsIn(cells[1].get(around)) > 4;
    const agreement = Math.min((byAmount.get(amount)?.length ?? 1) - 1, 4) * 0.5;
    const score = scorePlace(layout, element, text) + agreement - (isCell ? 4 : alike > 2 ? 1 : 0);
    if (score >= ENOUGH) scored.push({ text, amount, score });
  }
  const best = scored.reduce<PricePlace | undefined>(
    (top, next) => (top && top.score >= next.score ? top : next),
    undefined,
  );
  const rivals = new Set(scored.filter(({ score }) => best && score > best.score - CLEAR).map(({ amount }) => amount));
  return rivals.size > MAX_RIVALS ? undefined : best;
}

type Place = { element: DomElement; text: string; amount: number; signature: string; around: string };

/** How many cells of a list some places built alike make: different amounts, or the same one many times. */
function repeatsIn(alike: Place[] = []): number {
  return Math.max(new Set(alike.map(({ amount }) => amount)).size, Math.floor(alike.length / 2));
}

function findPlaces(layout: Layout): Place[] {
  const places: Place[] = [];
  const seen = new Set<DomElement>();
  for (const element of layout.page.elements) {
    if (places.length >= MAX_CANDIDATES) break;
    if (layout.away.has(element) || !hasDigits(element)) continue;
    const place = priceAround(element);
    if (!place || seen.has(place.element)) continue;
    seen.add(place.element);
    // Crowns stay open without a country; any will do to read the amount.
    const amount = normalizePrice(place.text, SIGN.test(place.text) ? { currency: 'SEK' } : {})?.amount;
    if (amount === undefined || amount === 0) continue;
    const [own = '', ...around] = signatureOf(place.element);
    places.push({ ...place, amount, signature: [own, ...around].join('<'), around: around.join('<') });
  }
  return places;
}

/** The smallest element around some digits whose whole text is a price: sign and cents often have tags of their own. */
function priceAround(element: DomElement): { element: DomElement; text: string } | undefined {
  for (const around of [element, ...ancestorsOf(element, 3)]) {
    const text = toWesternDigits(repairMojibake(lineOf(around, MAX_TEXT * 3)));
    if (text.length > MAX_TEXT) return undefined;
    if (PRICE.test(text)) return { element: around, text };
  }
  return undefined;
}

function hasDigits(element: DomElement): boolean {
  return element.children.some(
    (child) => child.type === 'text' && child.data.length < 200 && /\p{Nd}/u.test(child.data),
  );
}

function scorePlace(layout: Layout, element: DomElement, text: string): number {
  const chain = [element, ...ancestorsOf(element, 5)];
  let score = 0;
  let isPriced = false;
  for (const [level, around] of chain.entries()) {
    const words = wordsOf(around);
    if (!isPriced && level < 4 && words.some((word) => PRICE_WORD.test(word))) {
      score += level < 2 ? 3 : 2;
      isPriced = true;
    }
    if (level < 3 && words.some((word) => GOOD.test(word))) score += 1 / (level + 1);
    if (level < 4 && words.some((word) => BAD.test(word))) score -= level < 2 ? 4 : 2;
    if (around.name === 's' || around.name === 'del' || around.name === 'strike') score -= 6;
    if (around.name === 'a' && level < 5) score -= 2;
    if (isHidden(around)) score -= 1.5;
  }
  if (/^\p{L}[\p{L} ]{0,20}:/u.test(text) && PRICE_WORD.test(text.toLowerCase())) score += 1;
  return score + positionScore(layout, element) - (FORMER_TEXT.test(textBefore(element)) ? 5 : 0);
}

function positionScore(layout: Layout, element: DomElement): number {
  const distance = distanceToHeading(layout, element);
  if (distance === undefined) return 0;
  if (distance >= -30 && distance < 250) return 2;
  if (distance < -600 || distance > 2_000) return -2;
  return distance < 800 && distance > -300 ? 1 : 0;
}

function textBefore(element: DomElement): string {
  let node: DomNode | null = element.prev;
  for (let steps = 0; node && steps < 4; steps += 1) {
    const text = isElement(node) ? lineOf(node, 200) : node.type === 'text' ? node.data.trim() : '';
    if (text !== '') return text.slice(-40);
    node = node.prev;
  }
  const parent = element.parent as DomNode | null;
  const uncle = parent?.prev;
  return uncle && isElement(uncle) ? lineOf(uncle, 200).slice(-40) : '';
}

/** Tag and class of an element and the two around it: places built alike are cells of a list. */
function signatureOf(element: DomElement): string[] {
  return [element, ...ancestorsOf(element, 2)].map(({ name, attribs }) => `${name}.${attribs.class ?? ''}`);
}
