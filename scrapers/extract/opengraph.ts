import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { resolveUrl } from './page.ts';
import type { Page } from './page.ts';

/** The meta tags of a page by lower-case name, each with its non-empty contents in order (at most 50). */
export type MetaTags = Map<string, string[]>;

/** Reads every `<meta name|property|itemprop content>` of a page. */
export function readMetaTags(page: Page): MetaTags {
  const tags: MetaTags = new Map();
  for (const { name, attribs } of page.elements) {
    const content = attribs.content?.trim();
    const key = (attribs.property ?? attribs.name)?.trim().toLowerCase();
    if (name !== 'meta' || !content || !key) continue;
    const contents = tags.get(key);
    if (!contents) tags.set(key, [content]);
    else if (contents.length < 50) contents.push(content);
  }
  return tags;
}

/** True when the OpenGraph tags alone say that the page offers one thing: a product type, or a price. */
export function isProductPage(tags: MetaTags): boolean {
  const type = first(tags, 'og:type')?.toLowerCase();
  return (type !== undefined && /(?:^|[:.])product(?:$|\.)/.test(type)) || priceOf(tags) !== undefined;
}

/** What the OpenGraph, product and Twitter card tags say about the page's thing. */
export function readOpenGraph(tags: MetaTags, base: string): Partial<RawRecord> {
  const country = first(tags, 'og:country-name', 'product:location:country', 'business:contact_data:country_name');
  const location = {
    country,
    region: first(tags, 'og:region', 'business:contact_data:region'),
    city: first(tags, 'og:locality', 'business:contact_data:locality'),
    postalCode: first(tags, 'og:postal-code', 'business:contact_data:postal_code'),
    lat: numberOf(first(tags, 'og:latitude', 'place:location:latitude')),
    lng: numberOf(first(tags, 'og:longitude', 'place:location:longitude')),
  };
  const images = [...(tags.get('og:image:secure_url') ?? []), ...(tags.get('og:image:url') ?? [])];
  return {
    title: first(tags, 'og:title', 'twitter:title'),
    description: first(tags, 'og:description', 'twitter:description'),
    price: priceOf(tags),
    currency: first(tags, 'product:sale_price:currency', 'product:price:currency', 'og:price:currency'),
    sku: first(tags, 'product:retailer_item_id', 'product:retailer_part_no', 'product:sku', 'og:sku'),
    gtin: first(tags, 'product:gtin', 'product:ean', 'product:upc', 'product:isbn', 'books:isbn', 'book:isbn'),
    brand: first(tags, 'product:brand', 'og:brand'),
    availability: first(tags, 'product:availability', 'og:availability'),
    condition: first(tags, 'product:condition', 'og:condition'),
    category: first(tags, 'product:category', 'og:category'),
    images: imagesOf(tags.get('og:image') ?? images, images, tags, base),
    location: Object.values(location).some((value) => value !== undefined) ? location : undefined,
  };
}

function priceOf(tags: MetaTags): string | undefined {
  const amount = first(tags, 'product:sale_price:amount', 'product:price:amount', 'og:price:amount', 'product:price');
  if (amount !== undefined && /\d/.test(amount)) return amount;
  const card = [1, 2].find((n) => /^(?:price|preis|prix|precio|prezzo)$/i.test(first(tags, `twitter:label${n}`) ?? ''));
  const shown = card === undefined ? undefined : first(tags, `twitter:data${card}`);
  return shown !== undefined && /\d/.test(shown) ? shown : undefined;
}

function imagesOf(main: string[], secure: string[], tags: MetaTags, base: string): RawRecord['images'] {
  const links = main.length > 0 ? main : [...secure, ...(tags.get('twitter:image') ?? [])];
  const alts = tags.get('og:image:alt') ?? [];
  const images: NonNullable<RawRecord['images']> = [];
  for (const [index, link] of links.entries()) {
    const url = resolveUrl(link, base);
    if (url === undefined || images.some((image) => image.url === url)) continue;
    const alt = links.length === alts.length ? alts[index] : undefined;
    images.push(alt === undefined ? { url } : { url, alt });
  }
  return images.length > 0 ? images : undefined;
}

function first(tags: MetaTags, ...names: string[]): string | undefined {
  for (const name of names) {
    const content = tags.get(name)?.[0];
    if (content !== undefined) return content;
  }
  return undefined;
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number(text?.replace(',', '.'));
  return text === undefined || text === '' || !Number.isFinite(value) ? undefined : value;
}
