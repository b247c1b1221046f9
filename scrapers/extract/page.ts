import type { CheerioAPI } from 'cheerio/slim';
import { boundHtml } from '../../shared/kit/html/bound-html.ts';
import { isElement, annotationsOf, annotate, type DomElement, type DomNode } from '../../shared/kit/html/dom.ts';
import { parseHtml, selectIn } from '../../shared/kit/html/parse.ts';

/**
 * A page parsed once, for every extractor. Nobody changes it. (A class, because an object with a getter of its own keeps all
 * that its function sees until memory is swept as a whole.)
 */
export class Page {
  /** The address it was fetched from. */
  readonly url: string;
  /** The address that relative links are resolved against. */
  readonly base: string;
  /** Every element in document order, parents before their children. */
  readonly elements: DomElement[];
  readonly #root: DomNode | undefined;
  #select: CheerioAPI | undefined;

  constructor(root: DomNode | undefined, url: string) {
    const elements = root ? elementsBelow(root) : [];
    const base = elements.find((element) => element.name === 'base' && element.attribs.href)?.attribs.href;
    this.url = url;
    this.base = (base && resolveUrl(base, url)) ?? url;
    this.elements = elements;
    this.#root = root;
  }

  /** Selects by CSS. */
  get $(): CheerioAPI {
    this.#select ??= selectIn(this.#root);
    return this.#select;
  }
}

const WRAPPER = 'whole-page';

/** Parses any text as HTML without throwing, in time bounded by its length (at most 10 MB are read). */
export function parsePage(html: string, url: string): Page {
  // Selecting in a document with many top-level nodes is quadratic: they get one parent.
  return new Page(parseHtml(`<${WRAPPER}>${boundHtml(html).replaceAll(`</${WRAPPER}`, '')}`), url);
}

function elementsBelow(root: DomNode): DomElement[] {
  const elements: DomElement[] = [];
  let node = firstBelow(root);
  while (node) {
    if (isElement(node)) {
      annotate(node, elements.length);
      elements.push(node);
    }
    let next = firstBelow(node);
    for (let left: DomNode = node; !next && left !== root; left = left.parent as DomNode) next = left.next ?? undefined;
    node = next;
  }
  return elements;
}

const firstBelow = (node: DomNode): DomNode | undefined => ('children' in node ? node.children[0] : undefined);

/** The position of an element of a page in document order. */
export const documentOrderOf = (element: DomElement): number => annotationsOf(element)?.at ?? 0;

/** The absolute http(s) URL of a link found on a page, without its fragment, or undefined when it is none. */
export function resolveUrl(link: string, base: string): string | undefined {
  const trimmed = link.trim();
  if (trimmed === '' || trimmed.length > 2048 || !URL.canParse(trimmed, base)) return undefined;
  const url = new URL(trimmed, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  url.hash = '';
  return url.href.length > 2048 ? undefined : url.href;
}
