import type { RawRecord } from '../../shared/ingest/record.ts';
import { imageSource } from './images.ts';
import { namesOf, readLayout, wordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import type { MetaTags } from './opengraph.ts';
import { isElement } from './page.ts';
import type { Page } from './page.ts';
import { readFacts } from './readable-facts.ts';
import { readBrand, readSku } from './readable-identity.ts';
import { readPrice } from './readable-price.ts';
import { readStock } from './readable-stock.ts';
import { lineOf, textOf } from './text.ts';

const MIN_DESCRIPTION = 80;
const DESCRIPTION_WORD = /descri|beschreibung|descrizione|annonce|bodytext|adtext/i;
const MAX_IMAGES = 20;

/** What a reader sees of a page's own thing, and whether the page shows one thing at all. */
export type Readable = { facts: Partial<RawRecord>; isDetail: boolean };

/**
 * What the visible page says where structured data is silent: heading, description, labelled facts, the price asked, stock,
 * brand, article number, pictures, language. The weakest evidence: a statement to be used last.
 */
export function readPage(page: Page, tags: MetaTags, url: string): Readable {
  const layout = readLayout(page);
  const properties = readFacts(layout);
  const title = readTitle(layout, tags);
  const price = readPrice(layout);
  const stock = readStock(layout);
  const facts: Partial<RawRecord> = {
    title,
    description: readDescription(layout, tags),
    price: price?.text,
    availability: stock ?? (price ? 'InStock' : undefined),
    sku: readSku(layout, properties, url),
    brand: readBrand(layout, properties, title),
    breadcrumbs: readTrail(layout),
    images: readImages(layout, title),
    properties: Object.keys(properties).length > 0 ? properties : undefined,
    language: readLanguage(page, tags),
  };
  const hasHeading = layout.heading !== undefined;
  const isDescribed = Object.keys(properties).length >= 3 && facts.sku !== undefined && stock !== undefined;
  return { facts, isDetail: title !== undefined && hasHeading && (price !== undefined || isDescribed) };
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

function readDescription(layout: Layout, tags: MetaTags): string | undefined {
  let best = '';
  for (const element of layout.page.elements) {
    if (layout.away.has(element) || element.name === 'meta' || element.name === 'a') continue;
    if (!DESCRIPTION_WORD.test(namesOf(element))) continue;
    const text = textOf(element, 30_000);
    if (text.length >= MIN_DESCRIPTION && text.length > best.length * 1.5) best = text;
  }
  return best === '' ? tags.get('description')?.[0] : best;
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

/** Pictures whose alternative text opens like the title: those of other things carry other names. */
function readImages(layout: Layout, title: string | undefined): RawRecord['images'] {
  const images: NonNullable<RawRecord['images']> = [];
  const opening = title?.slice(0, 25).toLowerCase();
  for (const element of layout.page.elements) {
    if (element.name !== 'img' || layout.away.has(element)) continue;
    const alt = element.attribs.alt?.replace(/\s+/g, ' ').trim();
    const isTitled = opening !== undefined && opening.length > 3 && alt?.toLowerCase().includes(opening);
    if (!isTitled) continue;
    const url = imageSource(element, layout.page.base);
    if (url === undefined || images.some((image) => image.url === url)) continue;
    images.push({ url, alt });
    if (images.length >= MAX_IMAGES) break;
  }
  return images.length > 0 ? images : undefined;
}
