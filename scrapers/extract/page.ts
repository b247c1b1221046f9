import { load } from 'cheerio';
import type { CheerioAPI } from 'cheerio';
import { boundHtml } from '../../shared/html/bound-html.ts';
import { isElement, type DomElement, type DomNode } from '../../shared/html/dom.ts';

/** A page parsed once, for every extractor. */
export type Page = {
  $: CheerioAPI;
  /** The address it was fetched from. */
  url: string;
  /** The address that relative links are resolved against. */
  base: string;
  /** Every element in document order, parents before their children. */
  elements: DomElement[];
};

const WRAPPER = 'whole-page';

/** Parses any text as HTML without throwing, in time bounded by its length (at most 10 MB are read). */
export function parsePage(html: string, url: string): Page {
  // Selecting in a document with many top-level nodes is quadratic: they get one parent.
  const source = `<${WRAPPER}>${boundHtml(html).replaceAll(`</${WRAPPER}`, '')}`;
  const $ = load(source, { xml: { xmlMode: false, decodeEntities: true } });
  const elements: DomElement[] = [];
  const root = $.root()[0]?.children[0];
  const stack: DomNode[] = root && isElement(root) ? root.children.toReversed() : [];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!('children' in node)) continue;
    if (isElement(node)) elements.push(node);
    for (let i = node.children.length - 1; i >= 0; i -= 1) {
      const child = node.children[i];
      if (child) stack.push(child);
    }
  }
  const base = elements.find((element) => element.name === 'base' && element.attribs.href)?.attribs.href;
  return { $, url, base: (base && resolveUrl(base, url)) ?? url, elements };
}

const orders = new WeakMap<Page, Map<DomNode, number>>();

/** The position of each element of a page in document order; counted once per page. */
export function orderOf(page: Page): Map<DomNode, number> {
  let order = orders.get(page);
  if (!order) {
    order = new Map();
    for (const [index, element] of page.elements.entries()) order.set(element, index);
    orders.set(page, order);
  }
  return order;
}

/** The absolute http(s) URL of a link found on a page, without its fragment, or undefined when it is none. */
export function resolveUrl(link: string, base: string): string | undefined {
  const trimmed = link.trim();
  if (trimmed === '' || trimmed.length > 2048 || !URL.canParse(trimmed, base)) return undefined;
  const url = new URL(trimmed, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  url.hash = '';
  return url.href.length > 2048 ? undefined : url.href;
}
