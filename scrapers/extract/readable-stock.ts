import { memoizeText } from '../../shared/kit/memoize-text.ts';
import { ancestorsOf, distanceToHeading, isHidden, signatureOf, nameWordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import type { DomElement } from '../../shared/kit/html/dom.ts';
import { saysOutOfStock } from './out-of-stock.ts';
import { BUY, BUY_WORDS, IN, NOT_THE_THING } from './stock-phrases.ts';
import { lineOf, ownText } from '../../shared/kit/html/text.ts';

const MAX_TEXT = 90;
const STOCK_PLACE = /^(?:stock|availab|verf|lager|dispon|sold|oos|outofstock)/;

/** What a page prints of its own thing being for sale. */
export type ShownStock = {
  /** `OutOfStock`, `InStock`, or undefined when the page says nothing. */
  availability?: string;
  /** The buttons to buy it, in document order. */
  buttons: DomElement[];
  /** True when one of them works. */
  canBuy: boolean;
  /** True when the place for it says that it is not to be had, and the button to buy it is locked. */
  isLocked: boolean;
  /** True when it speaks of stock anywhere, be it that of another thing. */
  isMentioned: boolean;
};

/** Reads whether the page's own thing can be bought, from what it says and from its buttons. */
export function readStock(layout: Layout): ShownStock {
  const buttons: DomElement[] = [];
  const said: Statement[] = [];
  for (const element of layout.page.elements) {
    if (layout.away.has(element) || isHidden(element)) continue;
    const distance = distanceToHeading(layout, element) ?? 0;
    if (distance < -800 || distance > 1_500) continue;
    if (isBuyButton(element)) buttons.push(element);
    const statement = statementOf(element);
    if (statement) said.push(statement);
  }
  const places = Map.groupBy(said, ({ place }) => place);
  const first = said.find((statement) => !statement.isLink && !isOfCards(statement, places));
  const canBuy = buttons.some((button) => !isDisabled(button));
  const availability = canBuy ? 'InStock' : first?.availability;
  return {
    availability,
    buttons,
    canBuy,
    isLocked: availability === 'OutOfStock' && (buttons.length > 0 || first?.isPlace === true),
    isMentioned: said.length > 0,
  };
}

const isNamed = (signature: string) => /\.[^<]/.test(signature);

type Statement = { availability: 'InStock' | 'OutOfStock'; isPlace: boolean; place: string; isLink: boolean };

/** What says in several places built alike that something is gone speaks of the cards of a list. */
function isOfCards({ availability, place }: Statement, places: ReadonlyMap<string, Statement[]>): boolean {
  return availability === 'OutOfStock' && isNamed(place) && (places.get(place)?.length ?? 0) > 1;
}

/** What a text says of stock; undefined for nothing, and for what it says of other things. */
const stockIn = memoizeText((text) => {
  const said = { isOut: saysOutOfStock(text), isIn: IN.test(text) };
  return (said.isOut || said.isIn) && !NOT_THE_THING.test(text) ? said : undefined;
});

/** Only short texts in places that are about stock count: long ones speak of delivery terms and other things. */
function statementOf(element: DomElement): Statement | undefined {
  if (element.children.length === 0 || element.children.length > 4) return undefined;
  const own = ownText(element);
  if (own.length < 2 || own.length > MAX_TEXT) return undefined;
  const said = stockIn(own);
  if (said === undefined) return undefined;
  const words = nameWordsOf(element);
  // What a script may show one day is in the page from the beginning, put away by its class.
  if (words.some((word) => word === 'hide' || word === 'hidden')) return undefined;
  const isPlace = words.some((word) => STOCK_PLACE.test(word));
  const place = signatureOf(element).join('<');
  if (said.isOut && (isPlace || own.length <= 70))
    return { availability: 'OutOfStock', isPlace, place, isLink: isInLink(element) };
  return said.isIn && (isPlace || own.length <= 30)
    ? { availability: 'InStock', isPlace, place, isLink: false }
    : undefined;
}

/** What leads to another page speaks of that one. */
function isInLink(element: DomElement): boolean {
  const link = [element, ...ancestorsOf(element, 5)].find(({ name }) => name === 'a');
  return link !== undefined && /^[^#]/.test(link.attribs.href ?? '');
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
