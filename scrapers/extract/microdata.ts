import { addValue, hasRoom, newItem } from './items.ts';
import type { Item } from './items.ts';
import { resolveUrl } from './page.ts';
import type { DomElement, DomNode } from '../../shared/kit/html/dom.ts';
import type { Page } from './page.ts';
import { lineOf, textOf } from '../../shared/kit/html/text.ts';

const MAX_ITEMS = 5_000;
const MAX_REFERENCING = 200;
const MAX_REFERENCED = 50_000;
const LONG_TEXT = new Set(['description', 'articlebody', 'text', 'reviewbody']);

const URL_ATTRIBUTES = new Map<string, string[]>(
  Object.entries({
    a: ['href'],
    area: ['href'],
    link: ['href'],
    img: ['src', 'data-src', 'data-original', 'data-lazy-src'],
    audio: ['src'],
    embed: ['src'],
    iframe: ['src'],
    source: ['src'],
    track: ['src'],
    video: ['src'],
    object: ['data'],
  }),
);

/** The top-level microdata items of a page, `itemref` included; at most 5,000 items are read. */
export function readMicrodata(page: Page): Item[] {
  if (!page.elements.some((element) => element.attribs.itemprop !== undefined)) return [];
  const own = new Map<DomElement, Item>();
  const scope = new Map<DomNode, Item | undefined>();
  const roots: Item[] = [];
  const referenced = new Map<string, Item[]>();

  for (const element of page.elements) {
    const outer = element.parent ? scope.get(element.parent) : undefined;
    const item = own.size < MAX_ITEMS ? ownItem(element) : undefined;
    scope.set(element, item ?? outer);
    if (item) {
      own.set(element, item);
      if (element.attribs.itemprop === undefined || !outer) roots.push(item);
      noteReferences(item, element, referenced);
    }
    if (element.name === 'a') noteLink(item ?? outer, element, page.base);
    if (outer) addProperty(outer, element, item, page.base);
  }
  return addReferenced(page, own, scope, referenced, roots);
}

function noteReferences(item: Item, element: DomElement, referenced: Map<string, Item[]>): void {
  for (const id of new Set((element.attribs.itemref ?? '').split(/\s+/).slice(0, 50))) {
    const items = referenced.get(id) ?? [];
    if (id === '' || items.length >= MAX_REFERENCING) continue;
    items.push(item);
    referenced.set(id, items);
  }
}

/** Keeps the first link inside an item, for entries of lists that name no URL. */
export function noteLink(item: Item | undefined, anchor: DomElement, base: string): void {
  const { href } = anchor.attribs;
  if (!item || item.link !== undefined || href === undefined || href.trim().startsWith('#')) return;
  item.link = resolveUrl(href, base);
}

function addReferenced(
  page: Page,
  own: Map<DomElement, Item>,
  scope: Map<DomNode, Item | undefined>,
  referenced: Map<string, Item[]>,
  roots: Item[],
): Item[] {
  if (referenced.size === 0) return roots;
  const nested = new Set<Item>();
  const reach = new Map<DomNode, Item[]>();
  let budget = MAX_REFERENCED;
  for (const element of page.elements) {
    if (budget <= 0) break;
    const parent = element.parent as DomNode | null;
    const inherited = parent && !own.has(parent as DomElement) ? (reach.get(parent) ?? []) : [];
    const targets = [...inherited, ...(referenced.get(element.attribs.id ?? '') ?? [])];
    if (targets.length === 0) continue;
    reach.set(element, targets);
    budget -= targets.length;
    const item = own.get(element);
    for (const target of targets) {
      if (target === item || (parent && scope.get(parent) === target)) continue;
      addProperty(target, element, item, page.base);
      if (item && element.attribs.itemprop !== undefined) nested.add(item);
    }
  }
  return roots.filter((root) => !nested.has(root));
}

function ownItem(element: DomElement): Item | undefined {
  const { itemscope, itemtype, itemid } = element.attribs;
  if (itemscope === undefined && itemtype === undefined) return undefined;
  return newItem((itemtype ?? '').split(/\s+/), itemid);
}

function addProperty(owner: Item, element: DomElement, item: Item | undefined, base: string): void {
  const names = element.attribs.itemprop ?? mixedName(element);
  if (names === undefined) return;
  let value: Item | string | undefined = item;
  for (const name of names.split(/\s+/).slice(0, 10)) {
    if (!hasRoom(owner, name)) continue;
    value ??= propertyText(element, LONG_TEXT.has(name.toLowerCase()), base);
    addValue(owner, name, value);
  }
}

/** Makers of pages mix the syntaxes up: a bare `<meta property="priceCurrency">` inside an item means the item. */
function mixedName({ name, attribs }: DomElement): string | undefined {
  return name === 'meta' && /^[a-z]+$/i.test(attribs.property ?? '') ? attribs.property : undefined;
}

/** The text a property element stands for: `content` first on any tag, then the tag's own attribute, then its text. */
export function propertyText(element: DomElement, isLong: boolean, base: string): string {
  const { attribs, name } = element;
  if (attribs.content !== undefined) return attribs.content;
  for (const attribute of URL_ATTRIBUTES.get(name) ?? []) {
    const link = attribs[attribute];
    if (link !== undefined && !link.startsWith('data:')) return resolveUrl(link, base) ?? link;
  }
  if (name === 'data' || name === 'meter') return attribs.value ?? lineOf(element);
  if (name === 'time') return attribs.datetime ?? lineOf(element);
  return isLong ? textOf(element, 50_000) : lineOf(element);
}
