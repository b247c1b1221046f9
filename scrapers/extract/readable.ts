import type { RawRecord } from '../../shared/ingest/record.ts';
import { namesOf, readLayout, wordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { listedCards } from './listing-links.ts';
import { readImages } from './main-images.ts';
import { readMainText } from './main-text.ts';
import type { MetaTags } from './opengraph.ts';
import { isElement } from '../../shared/html/dom.ts';
import type { Page } from './page.ts';
import { readFacts } from './readable-facts.ts';
import { readBrand } from './readable-brand.ts';
import { readPrices } from './readable-price.ts';
import type { ShownPrices } from './readable-price.ts';
import { isPrinted, readPrintedSku, readSkuOfAddress } from './readable-sku.ts';
import { readStock } from './readable-stock.ts';
import type { ShownStock } from './readable-stock.ts';
import { lineOf } from '../../shared/html/text.ts';

/** What a reader sees of a page's own thing, and whether the page shows one thing at all. */
export type Readable = {
  facts: Partial<RawRecord>;
  isDetail: boolean;
  prices: ShownPrices;
  stock: ShownStock;
  /** The article number printed with a label. */
  printedSku?: string;
  /** True for a text that a reader finds on the page. */
  isPrinted: (text: string) => boolean;
};

/**
 * What the visible page says where structured data is silent: heading, description, labelled facts, the price asked, stock,
 * brand, article number, pictures, language. The weakest evidence: a statement to be used last.
 */
export function readPage(page: Page, tags: MetaTags, url: string): Readable {
  const cards = listedCards(page).filter(({ isPriced }) => isPriced);
  const layout = readLayout(
    page,
    cards.map(({ card }) => card),
  );
  const properties = readFacts(layout);
  const title = readTitle(layout, tags);
  const prices = readPrices(layout);
  const price = prices.asked;
  const stock = readStock(layout);
  const printedSku = readPrintedSku(layout, properties, url);
  const facts: Partial<RawRecord> = {
    title,
    description: readDescription(layout, tags),
    price: price?.text,
    availability: stock.availability ?? (price ? 'InStock' : undefined),
    sku: printedSku ?? readSkuOfAddress(layout, url),
    brand: readBrand(layout, properties, title),
    breadcrumbs: readTrail(layout),
    images: readImages(layout, title),
    properties: Object.keys(properties).length > 0 ? properties : undefined,
    language: readLanguage(page, tags),
  };
  const hasHeading = layout.heading !== undefined;
  const isDescribed =
    Object.keys(properties).length >= 3 && facts.sku !== undefined && stock.availability !== undefined;
  return {
    facts,
    isDetail: title !== undefined && hasHeading && (price !== undefined || isDescribed),
    prices,
    stock,
    printedSku,
    isPrinted: (text) => isPrinted(layout, text),
  };
}

/** The page's language as `<html lang>` or its meta tags say it, a two-letter code, or undefined. */
export function readLanguage(page: Page, tags: MetaTags): string | undefined {
  const html = page.elements.find(({ name }) => name === 'html');
  const said =
    html?.attribs.lang ?? html?.attribs['xml:lang'] ?? tags.get('og:locale')?.[0] ?? tags.get('language')?.[0];
  return /^\s*([a-z]{2})(?:[-_]|\s*$)/i.exec(said ?? '')?.[1]?.toLowerCase();
}

function readTitle(layout: Layout, tags: MetaTags): string | undefined {
  const heading = layout.heading && lineOf(layout.heading, 500);
  if (heading) return heading;
  const title = layout.page.elements.find(({ name }) => name === 'title');
  const text = tags.get('og:title')?.[0] ?? (title && lineOf(title, 500));
  return text?.replace(/\s+[|–—-]\s+[^|–—-]{2,40}$/, '').trim() || undefined;
}

/** A summary for search engines stands in where the page itself says little. */
function readDescription(layout: Layout, tags: MetaTags): string | undefined {
  const text = readMainText(layout);
  const summary = tags.get('description')?.[0];
  return text !== undefined && text.length >= (summary?.length ?? 0) ? text : (summary ?? text);
}

function readTrail(layout: Layout): string[] | undefined {
  for (const element of layout.page.elements) {
    const isTrail =
      (/crumb/i.test(namesOf(element)) && wordsOf(element).some((word) => /^(?:bread)?crumbs?$/.test(word))) ||
      /breadcrumb/i.test(element.attribs['aria-label'] ?? '');
    if (!isTrail) continue;
    const names = element.children.filter(isElement).length === 0 ? [] : linkTexts(element);
    if (names.length >= 2 && names.length <= 12) return names;
  }
  return undefined;
}

function linkTexts(element: Layout['page']['elements'][number]): string[] {
  const names: string[] = [];
  const stack = element.children.filter(isElement).toReversed();
  for (let next = stack.pop(); next && names.length <= 12; next = stack.pop()) {
    if (next.name !== 'a') {
      stack.push(...next.children.filter(isElement).toReversed());
      continue;
    }
    const name = lineOf(next, 200);
    if (name !== '' && name.length <= 100) names.push(name);
  }
  return names;
}
