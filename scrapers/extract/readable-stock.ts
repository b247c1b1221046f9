import { keepAnswers } from './known.ts';
import { distanceToHeading, isHidden, wordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import type { DomElement } from '../../shared/html/dom.ts';
import { BUY, BUY_WORDS, IN, NOT_THE_THING, OUT } from './stock-phrases.ts';
import { lineOf, ownText } from '../../shared/html/text.ts';

const MAX_TEXT = 90;
const STOCK_PLACE = /^(?:stock|availab|verf|lager|dispon|sold|oos|outofstock)/;

/** What a page prints of its own thing being for sale. */
export type ShownStock = {
  /** `OutOfStock`, `InStock`, or undefined when the page says nothing. */
  availability?: string;
  /** True when a button to buy it stands there and works. */
  canBuy: boolean;
  /** True when the page says in words that it is not to be had, and no button contradicts. */
  isSaidOut: boolean;
};

/** Reads whether the page's own thing can be bought, from what it says and from its buttons. */
export function readStock(layout: Layout): ShownStock {
  let canBuy = false;
  let isLocked = false;
  let said: Statement | undefined;
  for (const element of layout.page.elements) {
    if (layout.away.has(element) || isHidden(element)) continue;
    const distance = distanceToHeading(layout, element) ?? 0;
    if (distance < -800 || distance > 1_500) continue;
    if (isBuyButton(element)) {
      if (isDisabled(element)) isLocked = true;
      else canBuy = true;
    }
    said ??= statement(element);
  }
  const isOut = said?.availability === 'OutOfStock' && !canBuy;
  return {
    availability: isOut ? 'OutOfStock' : canBuy ? 'InStock' : said?.availability,
    canBuy,
    isSaidOut: isOut && (isLocked || said?.isPlace === true),
  };
}

type Statement = { availability: 'InStock' | 'OutOfStock'; isPlace: boolean };

/** What a text says of stock; undefined for nothing, and for what it says of other things. */
const stockIn = keepAnswers((text) => {
  const said = { isOut: OUT.test(text), isIn: IN.test(text) };
  return (said.isOut || said.isIn) && !NOT_THE_THING.test(text) ? said : undefined;
});

/** Only short texts in places that are about stock count: long ones speak of delivery terms and other things. */
function statement(element: DomElement): Statement | undefined {
  if (element.children.length === 0 || element.children.length > 4) return undefined;
  const own = ownText(element);
  if (own.length < 2 || own.length > MAX_TEXT) return undefined;
  const said = stockIn(own);
  if (said === undefined) return undefined;
  const words = wordsOf(element);
  // What a script may show one day is in the page from the beginning, put away by its class.
  if (words.some((word) => word === 'hide' || word === 'hidden')) return undefined;
  const isPlace = words.some((word) => STOCK_PLACE.test(word));
  if (said.isOut && (isPlace || own.length <= 70)) return { availability: 'OutOfStock', isPlace };
  return said.isIn && (isPlace || own.length <= 30) ? { availability: 'InStock', isPlace } : undefined;
}

function isBuyButton(element: DomElement): boolean {
  const { name, attribs } = element;
  const isButton = name === 'button' || (name === 'input' && /^(?:submit|button|image)$/i.test(attribs.type ?? ''));
  if (!isButton && name !== 'a') return false;
  const line = lineOf(element, 100);
  const labels = [attribs.value, attribs['aria-label'], attribs.title, line].map((text) => text?.trim() ?? '');
  if (labels.some((text) => BUY.test(text))) return true;
  return isButton && BUY_WORDS.test(`${attribs.class ?? ''} ${attribs.id ?? ''} ${attribs.name ?? ''}`);
}

function isDisabled({ attribs }: DomElement): boolean {
  return attribs.disabled !== undefined || attribs['aria-disabled'] === 'true';
}
