import { THUMBNAIL_SIDE } from '../../shared/adapters/image-sides.ts';
import { ownImageOf } from '../../shared/listings/images.ts';
import { findImageSizes, type ImageSize } from '../../shared/listings/image-sizes.ts';
import { html, raw, type Markup } from './html.ts';
import type { Visit } from './visit.ts';

export type PageImage = { url: string; alt?: string | undefined; thumbnail_url?: string | undefined };
/** The sizes of images in pixels, by their address; images that are not stored here have none. */
export type ImageSizes = ReadonlyMap<string, ImageSize>;

/**
 * The sizes of images, most of them from memory. The one thing that pages read past the operations: the API's images have no
 * size, and every row of a list would have to be joined with them.
 */
export async function readImageSizes(
  { services, links }: Pick<Visit, 'services' | 'links'>,
  images: readonly PageImage[],
): Promise<ImageSizes> {
  const known = services.pageCaches.imageSizes;
  const hashes = new Map<string, string>();
  for (const { url } of images) {
    const sha256 = ownImageOf(url, links.static);
    if (sha256 !== undefined) hashes.set(url, sha256);
  }
  const unknown = [...new Set(hashes.values())].filter((sha256) => !known.has(sha256));
  if (unknown.length > 0) {
    const found = await services.reads.read(({ pool }) => findImageSizes(pool, unknown));
    for (const [sha256, size] of found) known.set(sha256, size);
  }
  const sizes = new Map<string, ImageSize>();
  for (const [url, sha256] of hashes) {
    const size = known.get(sha256);
    if (size) sizes.set(url, size);
  }
  return sizes;
}

type ImageUse = {
  /** How wide it is shown, as the attribute `sizes` has it. */
  shownWidth: string;
  /** Whether it is seen at once. */
  isFirst: boolean;
  alt?: string;
};

/**
 * An image with the sizes that are stored of it, so that a browser fetches the one that it needs and knows the shape before; what
 * is stored elsewhere has one size, and the shape of a photo.
 */
export function responsiveImage(
  image: PageImage,
  sizes: ImageSizes,
  { shownWidth, isFirst, alt = '' }: ImageUse,
): Markup {
  const eager = raw(isFirst ? ' fetchpriority="high"' : ' loading="lazy" decoding="async"');
  const size = sizes.get(image.url);
  const small = image.thumbnail_url;
  if (!size || small === undefined)
    return html`<img src="${small ?? image.url}" alt="${alt}" width="400" height="300"${eager}>`;
  const { width, height } = size;
  const smallWidth = Math.round(width * Math.min(1, THUMBNAIL_SIDE / Math.max(width, height)));
  const set =
    smallWidth < width && html` srcset="${small} ${smallWidth}w, ${image.url} ${width}w" sizes="${shownWidth}"`;
  return html`<img src="${image.url}"${set} alt="${alt}" width="${width}" height="${height}"${eager}>`;
}
