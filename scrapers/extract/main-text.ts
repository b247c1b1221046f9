import { distanceToHeading, namesOf, parentOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import type { DomElement, DomNode } from '../../shared/kit/html/dom.ts';
import { lineOf, ownText, textOf, withoutColon } from '../../shared/kit/html/text.ts';

const NAMED = /descri|beschreibung|descrizione|annonce|bodytext|adtext/i;
const LABEL =
  /^(?:(?:product |item |full |seller['’]s )?description|details|about (?:this|the) (?:item|product|boat|property)|(?:produkt|artikel)?beschreibung|description(?: du produit| de l['’]annonce)?|descri(?:pción|ção|zione|ere)(?: del (?:producto|prodotto))?|sinopse|omschrijving|beskrivning|beskrivelse|kuvaus|popis(?: produktu)?|opis(?: produktu)?|leírás|açıklama|περιγραφή|описание|опис|商品(?:の)?説明|説明|상품\s?설명|설명|描述|商品详情|الوصف|תיאור(?: המוצר)?)$/iu;
const LABEL_TAGS = new Set('h2 h3 h4 h5 h6 dt th strong b summary button span div p legend'.split(' '));
const NOISE = /cookie|datenschutz|privacy policy|gdpr|consent|newsletter|javascript/i;
const BLOCKS = new Set(['div', 'section', 'article', 'td', 'dd', 'main', 'li']);
const MIN_CHARS = 40;
const ENOUGH = 80;
const MIN_LENGTH = 80;
const MAX_LENGTH = 30_000;
const MAX_TRIED = 8;
const MIN_SHARE = 0.4;
const SILENT = new Set([
  'a',
  'option',
  'script',
  'style',
  'noscript',
  'template',
  'textarea',
  'label',
  'button',
  'title',
]);

type Found = { element: DomElement; weight: number };

/**
 * The text a page tells about its thing: the part below the heading that holds the most running text, those named or
 * headed as description first; links, menus and what is about other things left out. Undefined when there is too little.
 */
export function readMainText(layout: Layout): string | undefined {
  const named = layout.page.elements.filter(
    (element) =>
      isNamed(namesOf(element)) && element.name !== 'meta' && element.name !== 'a' && isNear(layout, element),
  );
  const described = longest(named);
  if (described !== undefined) return described;
  const labelled = layout.page.elements.flatMap((element) =>
    isLabel(element) && isNear(layout, element) ? below(element) : [],
  );
  const headed = longest(labelled);
  if (headed !== undefined) return headed;
  const candidates = weigh(layout)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MAX_TRIED);
  for (const { element, weight } of candidates) {
    if (weight < ENOUGH) return undefined;
    const text = textOf(element, MAX_LENGTH);
    // A part that holds much else is the page, not its text.
    if (weight >= text.length * MIN_SHARE && !NOISE.test(text.slice(0, 600))) return text;
  }
  return undefined;
}

/** The longest of some parts, where one is much longer than those before it. */
function longest(parts: DomElement[]): string | undefined {
  let best = '';
  for (const part of parts.slice(0, 200)) {
    const text = textOf(part, MAX_LENGTH);
    if (text.length >= MIN_LENGTH && text.length > best.length * 1.5 && !NOISE.test(text.slice(0, 300))) best = text;
  }
  return best === '' ? undefined : best;
}

const isNamed = (names: string) => names !== '' && NAMED.test(names);

/** Running text counts for the block that holds it, and for the block around that. */
function weigh(layout: Layout): Found[] {
  const weights = new Map<DomElement, number>();
  for (const element of layout.page.elements) {
    if (SILENT.has(element.name) || !isNear(layout, element)) continue;
    const own = ownText(element);
    if (own.length < MIN_CHARS || own.split(' ', 6).length < 6 || NOISE.test(own)) continue;
    const holder = BLOCKS.has(element.name) && element.name !== 'li' ? element : parentOf(element);
    if (!holder) continue;
    const distance = distanceToHeading(layout, element) ?? 0;
    if (distance < 0) continue;
    const weight = own.length * (distance < 600 ? 1 : distance < 1_500 ? 0.7 : 0.4);
    weights.set(holder, (weights.get(holder) ?? 0) + weight);
    const around = parentOf(holder);
    if (around) weights.set(around, (weights.get(around) ?? 0) + weight * 0.6);
  }
  return [...weights].map(([element, weight]) => ({ element, weight }));
}

function isNear(layout: Layout, element: DomElement): boolean {
  if (layout.away.has(element)) return false;
  const distance = distanceToHeading(layout, element);
  return distance === undefined || (distance > -100 && distance < 2_500);
}

function isLabel(element: DomElement): boolean {
  if (!LABEL_TAGS.has(element.name)) return false;
  const own = ownText(element);
  return own !== '' && own.length <= 40 && LABEL.test(withoutColon(own));
}

/** What stands below a label: the next part beside it, or beside what holds it. */
function below(label: DomElement): DomElement[] {
  for (let around: DomElement | undefined = label; around; around = parentOf(around)) {
    let next: DomNode | null = around.next;
    while (next && !isElement(next)) next = next.next;
    if (next && lineOf(next, 200).length >= MIN_LENGTH) return [next];
    if (next || (around !== label && BLOCKS.has(around.name) && lineOf(around, 200).length > 60)) return [];
  }
  return [];
}
