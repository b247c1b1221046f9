import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { canonicalAvailability } from './availability.ts';
import { readEmbeddedJson } from './embedded-json.ts';
import { resolveUrl } from './page.ts';
import type { Page } from './page.ts';

type Node = Record<string, unknown>;

const MAX_NODES = 40_000;
const MAX_DEPTH = 16;
const MAX_IMAGES = 20;
const NAMES = ['name', 'title', 'productName', 'product_name', 'subject', 'headline', 'displayName'];
const PRICES = [
  'price',
  'salePrice',
  'sale_price',
  'currentPrice',
  'current_price',
  'sellingPrice',
  'finalPrice',
  'prices',
];
const CURRENCIES = ['currency', 'currencyCode', 'currency_code', 'priceCurrency', 'price_currency'];

/**
 * What the data that a page carries for its own scripts says about the thing of the page: of all objects with a name and a
 * price the one that is called what the page is called. Undefined when there is none.
 */
export function readState(page: Page, titles: string[]): Partial<RawRecord> | undefined {
  const wanted = titles.map(plain).filter((title) => title.length >= 4);
  if (wanted.length === 0) return undefined;
  let best: { node: Node; size: number } | undefined;
  for (const value of readEmbeddedJson(page)) {
    for (const node of objectsOf(value)) {
      const name = plain(textFrom(node, NAMES) ?? '');
      if (!isCalled(name, wanted) || priceOf(node).price === undefined) continue;
      const size = Object.keys(node).length;
      if (!best || size > best.size) best = { node, size };
    }
  }
  return best && factsOf(best.node, page.base);
}

function factsOf(node: Node, base: string): Partial<RawRecord> {
  const brand = node.brand ?? node.manufacturer ?? node.make;
  const stock = node.availability ?? node.stockStatus ?? node.stock_status;
  const description = textFrom(node, ['description', 'body', 'longDescription']);
  return {
    title: textFrom(node, NAMES),
    description: description !== undefined && description.length >= 40 ? description : undefined,
    ...priceOf(node),
    sku: textFrom(node, ['sku', 'articleNumber', 'itemNumber', 'productCode', 'list_id', 'listId', 'adId', 'ad_id']),
    brand: isNode(brand) ? textFrom(brand, ['name', 'label']) : textOf(brand),
    availability: typeof node.inStock === 'boolean' ? inStock(node.inStock) : canonicalAvailability(textOf(stock)),
    images: imagesOf(node.images ?? node.photos ?? node.gallery ?? node.image, base),
  };
}

/** A price is a number, or an object of a number and its currency; sums in cents are never named `price` alone. */
function priceOf(node: Node): Pick<RawRecord, 'price' | 'currency'> {
  const currency = textFrom(node, CURRENCIES);
  for (const name of PRICES) {
    const value = node[name];
    const inner = Array.isArray(value) ? (value[0] as unknown) : value;
    const amount = isNode(inner)
      ? (textFrom(inner, ['amount', 'value', 'price', 'raw', 'current']) ?? '')
      : textOf(inner);
    if (amount === undefined || !/[1-9]/.test(amount)) continue;
    return { price: amount, currency: (isNode(inner) ? textFrom(inner, CURRENCIES) : undefined) ?? currency };
  }
  return {};
}

function imagesOf(value: unknown, base: string): RawRecord['images'] {
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  const urls = entries.flatMap((entry) => {
    const link = isNode(entry) ? textFrom(entry, ['url', 'src', 'large', 'original', 'href']) : textOf(entry);
    return (
      (link !== undefined && /^(?:https?:)?\/|\.(?:jpe?g|png|webp|avif)/i.test(link) && resolveUrl(link, base)) || []
    );
  });
  const images = [...new Set(urls)].slice(0, MAX_IMAGES).map((url) => ({ url }));
  return images.length > 0 ? images : undefined;
}

function* objectsOf(root: unknown): Generator<Node> {
  const stack: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let visited = 0; visited < MAX_NODES; visited += 1) {
    const next = stack.pop();
    if (!next) return;
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) continue;
    if (isNode(value)) yield value;
    for (const inner of Object.values(value))
      if (typeof inner === 'object') stack.push({ value: inner, depth: depth + 1 });
  }
}

function isCalled(name: string, titles: string[]): boolean {
  return name.length >= 4 && titles.some((title) => title === name || (name.length >= 8 && title.startsWith(name)));
}

function textFrom(node: Node, names: string[]): string | undefined {
  for (const name of names) {
    const text = Object.hasOwn(node, name) ? textOf(node[name]) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' && value.length <= 20_000 ? value.trim() : undefined;
}

function inStock(isThere: boolean): string {
  return isThere ? 'InStock' : 'OutOfStock';
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
