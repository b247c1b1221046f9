import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { toPlainLine } from '../../shared/normalize/html-text.ts';
import { itemsOf, textFrom, valueText } from './items.ts';
import type { Item } from './items.ts';
import { mapOffers } from './map-offer.ts';
import { mapLocation } from './map-place.ts';
import { mapProperties } from './map-properties.ts';
import { resolveUrl } from './page.ts';

const MAX_IMAGES = 50;

/** One schema.org item as a partial record, every text as it stands in the markup. */
export function mapProduct(item: Item, base: string, isOwnUrl: (url: string) => boolean): Partial<RawRecord> {
  const product = gather(item, isOwnUrl);
  const { url: offerUrl, sku: offerSku, ...offer } = mapOffers(product, isOwnUrl);
  const link = textFrom(item, 'url') ?? offerUrl ?? item.id;
  return {
    url: link === undefined ? undefined : resolveUrl(link, base),
    title: unescape(textFrom(product, 'name', 'headline', 'title') ?? nameOfOffered(product)),
    description: textFrom(product, 'description'),
    ...offer,
    sku: identifier(textFrom(product, 'sku', 'productid')) ?? offerSku ?? identifier(textFrom(product, 'identifier')),
    brand: unescape(textFrom(product, 'brand', 'manufacturer')),
    model: unescape(textFrom(product, 'model')),
    gtin: identifier(textFrom(product, 'gtin13', 'gtin', 'gtin12', 'gtin14', 'gtin8', 'isbn', 'ean')),
    condition: offer.condition ?? textFrom(product, 'itemcondition'),
    category: textFrom(product, 'category'),
    images: imagesFrom(product, base),
    location: mapLocation(product),
    properties: mapProperties(product),
    language: textFrom(product, 'inlanguage'),
  };
}

/** Names are often escaped once more than their place asks for: `Marks &amp; Spencer`. */
function unescape(name: string | undefined): string | undefined {
  return name !== undefined && /&(?:[a-z]{2,8}|#x?[\da-f]{2,6});/i.test(name)
    ? toPlainLine(name.slice(0, 1_000))
    : name;
}

/** The images of an item as absolute URLs, each once, at most 50. */
export function imagesFrom(item: Item, base: string): RawRecord['images'] {
  const images: NonNullable<RawRecord['images']> = [];
  const values = ['image', 'images', 'photo', 'photos'].flatMap((name) => item.props.get(name) ?? []);
  for (const value of values) {
    const nested = typeof value === 'string' ? undefined : value;
    const link = nested ? textFrom(nested, 'contenturl', 'url', 'image', 'thumbnailurl') : valueText(value);
    const url = link === undefined ? undefined : resolveUrl(link, base);
    if (url === undefined || images.some((image) => image.url === url)) continue;
    const alt = nested && textFrom(nested, 'caption', 'name');
    images.push(alt === undefined ? { url } : { url, alt });
    if (images.length >= MAX_IMAGES) break;
  }
  return images.length > 0 ? images : undefined;
}

/**
 * What belongs to one thing but is nested below it, its own facts winning: the variant of a ProductGroup that the page
 * shows, and what the offer says it offers.
 */
function gather(item: Item, isOwnUrl: (url: string) => boolean): Item {
  const offered = itemsOf(item, 'offers').flatMap((offer) => itemsOf(offer, 'itemoffered'))[0];
  const whole = withVariant(item, isOwnUrl);
  return offered && offered !== item ? { ...whole, props: new Map([...offered.props, ...whole.props]) } : whole;
}

function withVariant(item: Item, isOwnUrl: (url: string) => boolean): Item {
  const variants = itemsOf(item, 'hasvariant', 'model').filter((variant) => variant.props.has('offers'));
  if (item.props.has('offers') || variants.length === 0) return item;
  const shown = variants.find((variant) => isOwnUrl(textFrom(variant, 'url') ?? variant.id ?? '')) ?? variants[0];
  return { ...item, props: new Map([...(shown?.props ?? []), ...item.props]) };
}

function nameOfOffered(item: Item): string | undefined {
  const offered = itemsOf(item, 'itemoffered')[0];
  return offered && textFrom(offered, 'name');
}

/** Identifiers may carry their kind: `sku:123`, `isbn:978…`. */
function identifier(text: string | undefined): string | undefined {
  const bare = text?.replace(/^(?:sku|mpn|isbn|ean|gtin\d*|upc|id):\s*/i, '').trim();
  return bare === undefined || bare === '' || bare.length > 200 ? undefined : bare;
}
