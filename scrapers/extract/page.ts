import { load } from 'cheerio';
import type { CheerioAPI } from 'cheerio';
import { boundHtml } from './bound-html.ts';

type Root = NonNullable<ReturnType<CheerioAPI['root']>[0]>;

/** Any node of a parsed page. */
export type DomNode = Root['children'][number];
/** A tag of a parsed page. */
export type DomElement = Extract<DomNode, { attribs: Record<string, string> }>;

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

/** True for tags, false for text, comments and directives. */
export function isElement(node: DomNode): node is DomElement {
  return 'attribs' in node;
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
