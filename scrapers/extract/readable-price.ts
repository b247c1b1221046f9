import { ancestorsOf, distanceToHeading, isHidden, nameWordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import type { DomElement, DomNode } from '../../shared/kit/html/dom.ts';
import { documentOrderOf } from './page.ts';
import { isFormerPrice, isPlainlyAsked, labelOf } from './price-context.ts';
import { findPrices, PRICE_WORD } from './price-places.ts';
import type { ShownAmount } from './price-places.ts';
import { lineOf, withoutColon } from '../../shared/kit/html/text.ts';

const ENOUGH = 3;
const ENOUGH_ALONE = 1;
const CLEAR = 0.75;
const MAX_RIVALS = 3;
/** A price beside a higher one is what is left of it; less than this share of it is a rate, a saving, the postage. */
const MIN_REDUCED_SHARE = 0.3;
const SIDE_BY_SIDE = 12;

const GOOD = /^(?:our|sale|current|now|final|main|actual|buy|deal|special|offer|product|detail|today|selling)$/;
const PRICE_LABEL =
  /^(?:(?:our|your|sale|current|asking|list(?:ing)?|buy(?: it)? now|total)? ?price|(?:kauf|end|fest|verkaufs)?preis|prix(?: de vente)?|precio|prezzo|preço|cena|prijs|vraagprijs|pris|hinta|ár|fiyat|preț|pret|τιμή|цена|ціна|価格|販売価格|价格|價格|售价|售價|가격|판매가|السعر|قیمت|מחיר|ราคา|giá|harga|kaina|hind|cijena|कीमत|मूल्य)$/iu;
const BAD =
  /^(?:old|was|list|strike|strikethrough|striked|barred|before|rrp|msrp|uvp|regular|original|crossed|cross|previous|save|saving|savings|saved|discount|shipping|delivery|versand|postage|unit|per|installment|instalment|finance|financing|monthly|month|rate|tax|coupon|points|cashback|deposit|min|max|minimum|threshold|swatch|used|refurbished|condition|plan|protection|warranty|subscribe|label|title|range|slider|converted|convert|approx|estimate|starting)$/;
/** A price printed on a page, with the score of its place and in how many places it stands that are plainly about it. */
export type ShownPrice = { text: string; amount: number; score: number; places: number };

/** What a page prints of prices: the one it asks, every amount that nothing calls a former one, and those that are called so. */
export type ShownPrices = { asked?: ShownPrice; amounts: Set<number>; former: Set<number> };

type Scored = ShownAmount & {
  score: number;
  isCell: boolean;
  isFormer: boolean;
  /** By its label or its drawing, not only by what stands beside it. */
  isCalledFormer: boolean;
  distance: number | undefined;
};

/**
 * The price the page itself asks, as printed: of all short texts that are nothing but a price the one whose place speaks
 * most for it. None when no place does clearly, as on lists.
 */
export function readShownPrices(layout: Layout): ShownPrices {
  const scored = scorePlaces(layout);
  const [former = [], open = []] = [true, false].map((isCalled) =>
    scored.filter(({ isCalledFormer }) => isCalledFormer === isCalled).map(({ amount }) => amount),
  );
  const printed = { amounts: new Set(open), former: new Set(former) };
  const near = scored.filter(({ distance, isCell }) => !isCell && distance !== undefined && distance > -30);
  const isAlone = new Set(near.filter(({ isFormer }) => !isFormer).map(({ amount }) => amount)).size === 1;
  const enough = isAlone ? ENOUGH_ALONE : ENOUGH;
  const good = scored.filter(
    ({ score, isFormer, distance }) => score >= (isFormer || !isAhead(distance) ? ENOUGH : enough),
  );
  const best = good.reduce<Scored | undefined>((top, next) => (top && top.score >= next.score ? top : next), undefined);
  const rivals = new Set(good.filter(({ score }) => best && score > best.score - CLEAR).map(({ amount }) => amount));
  if (!best || rivals.size > MAX_RIVALS) return printed;
  const { text, amount, score } = best;
  const plain = scored.filter(
    (place) => place.amount === amount && !place.isFormer && !place.isCell && isPlainlyAsked(layout, place),
  );
  return { asked: { text, amount, score, places: plain.length }, ...printed };
}

function scorePlaces(layout: Layout): Scored[] {
  const places = findPrices(layout);
  const bySignature = Map.groupBy(places, ({ signature }) => signature);
  const byAround = Map.groupBy(places, ({ around }) => around);
  const scored = places.map((place): Scored => {
    const alike = repeatsIn(bySignature.get(place.signature));
    const isLike = repeatsIn(byAround.get(place.around)) > 4;
    const isCell = alike > 3 || (isLike && !isLeading(place, byAround, bySignature));
    const label = labelOf(place);
    const isFormer = isFormerPrice(place.element, label);
    const score = scorePlace(layout, place) - (isCell ? 4 : alike > 2 ? 1 : 0) - (isFormer ? 5 : 0);
    return {
      ...place,
      score,
      isCell,
      isFormer,
      isCalledFormer: isFormer,
      distance: distanceToHeading(layout, place.element),
    };
  });
  weighNeighbours(scored);
  const own = Map.groupBy(
    scored.filter(({ isCell }) => !isCell),
    ({ amount }) => amount,
  );
  for (const place of scored) place.score += Math.min((own.get(place.amount)?.length ?? 1) - 1, 4) * 0.5;
  const first = scored.find(({ distance, isFormer, isCell }) => isAhead(distance) && !isFormer && !isCell);
  if (first) first.score += 1;
  return scored;
}

/** Of two prices side by side the higher is the former one, unless the lower is far too low to be what is left of it. */
function weighNeighbours(scored: Scored[]): void {
  const judged = scored.map(({ score }) => score);
  for (const [index, place] of scored.entries()) {
    const next = scored[index + 1];
    if (!next || next.amount === place.amount) continue;
    const gap = documentOrderOf(next.element) - documentOrderOf(place.element);
    const [low, high] = place.amount < next.amount ? [place, next] : [next, place];
    const isCut = low.amount >= high.amount * MIN_REDUCED_SHARE && !low.isFormer;
    const isPair = gap <= SIDE_BY_SIDE && Math.abs((judged[index] ?? 0) - (judged[index + 1] ?? 0)) <= 5;
    if (!isCut || !isPair || low.isCell !== high.isCell) continue;
    high.score -= 3;
    high.isFormer = true;
  }
  for (const place of scored) {
    const unit = scored.find((other) => other.score > ENOUGH && isTimes(place.amount, other.amount));
    if (unit && documentOrderOf(unit.element) < documentOrderOf(place.element)) place.score -= 1;
  }
}

/** What many pieces cost together stands below the price of one. */
function isTimes(total: number, one: number): boolean {
  const pieces = total / one;
  return pieces > 1.5 && pieces < 10_000 && Math.abs(pieces - Math.round(pieces)) < 1e-6;
}

/** The page's own price may be built from the same parts as those of the things below it: it comes first, drawn in its own way. */
function isLeading(
  place: ShownAmount,
  byAround: Map<string, ShownAmount[]>,
  bySignature: Map<string, ShownAmount[]>,
): boolean {
  const first = byAround.get(place.around)?.[0];
  return first?.amount === place.amount && repeatsIn(bySignature.get(place.signature)) === 1;
}

/** How many cells of a list some places built alike make: different amounts, or the same one many times. */
function repeatsIn(alike: ShownAmount[] = []): number {
  return Math.max(new Set(alike.map(({ amount }) => amount)).size, Math.floor(alike.length / 2));
}

function scorePlace(layout: Layout, { element, text }: ShownAmount): number {
  const chain = [element, ...ancestorsOf(element, 5)];
  let score = 0;
  let isPriced = false;
  for (const [level, around] of chain.entries()) {
    const words = nameWordsOf(around);
    if (!isPriced && level < 4 && words.some((word) => PRICE_WORD.test(word))) {
      score += level < 2 ? 3 : 2;
      isPriced = true;
    }
    if (level < 3 && words.some((word) => GOOD.test(word))) score += 1 / (level + 1);
    if (level < 4 && words.some((word) => BAD.test(word))) score -= level < 2 ? 4 : 2;
    if (around.name === 'a' && level < 5) score -= 2;
    if (isHidden(around)) score -= 1.5;
  }
  if (/^\p{L}[\p{L} ]{0,20}:/u.test(text) && PRICE_WORD.test(text.toLowerCase())) score += 1;
  if (!isPriced && isLabelledPrice(element)) score += 3;
  return score + positionScore(layout, element);
}

function positionScore(layout: Layout, element: DomElement): number {
  const distance = distanceToHeading(layout, element);
  if (distance === undefined) return 0;
  if (distance >= -30 && distance < 250) return 2;
  if (distance < -600 || distance > 2_000) return -2;
  return distance < 800 && distance > -300 ? 1 : 0;
}

function isAhead(distance: number | undefined): boolean {
  return distance !== undefined && distance >= 0 && distance < 250;
}

/** The cell before a price, or the cell before the one it stands in, says that it is the price. */
function isLabelledPrice(element: DomElement): boolean {
  return [element, ...ancestorsOf(element, 2)].some((around) => {
    let before: DomNode | null = around.prev;
    while (before && !isElement(before) && before.type === 'text' && before.data.trim() === '') before = before.prev;
    if (!before || !isElement(before)) return false;
    return PRICE_LABEL.test(withoutColon(lineOf(before, 60)));
  });
}
